<?php
// One busy process for the calibration, as workloads/burn.py, in PHP.
require __DIR__ . '/count.php';
const CHUNK = 10000;

function now(): float
{
    return hrtime(true) / 1e9;
}

function used(): float
{
    $usage = getrusage();
    return $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']
        + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e6;
}

echo "ready\n";
while (($line = fgets(STDIN)) !== false) {
    [$warm_s, $burn_s] = array_map('floatval', explode(' ', trim($line)));
    $begin = now() + $warm_s;
    while (now() < $begin) {
        count_to(CHUNK);
    }
    [$loops, $before] = [0, used()];
    while (now() < $begin + $burn_s) {
        count_to(CHUNK);
        $loops += CHUNK;
    }
    echo $loops, ' ', used() - $before, "\n";
}
