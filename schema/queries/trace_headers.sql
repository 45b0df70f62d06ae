-- Fields of the file other than events; deviceProperties is with the devices.
SELECT substr(k, 8), v FROM meta WHERE k GLOB 'header.*' AND k <> 'header.deviceProperties' ORDER BY k;
