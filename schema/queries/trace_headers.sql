-- What the file says beside its events; deviceProperties stand with the devices.
SELECT substr(k, 8), v FROM meta WHERE k GLOB 'header.*' AND k <> 'header.deviceProperties' ORDER BY k;
