SELECT v FROM meta WHERE k = 'unit_s';
