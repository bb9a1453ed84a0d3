<?php
// One busy process for the calibration, as workloads/burn.py, in PHP.
require __DIR__ . '/count.php';
const CHUNK = 10000;

function now(): float
{
    return hrtime(true) / 1e9;  // the same clock as Python's perf_counter on Linux
}

function used(): float
{
    $usage = getrusage();
    return $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']
        + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e6;
}

echo "ready\n";
while (($line = fgets(STDIN)) !== false) {
    [$begin, $end] = array_map('floatval', explode(' ', trim($line)));
    while (now() < $begin) {
        count_to(CHUNK);
    }
    [$loops, $before] = [0, used()];
    while (now() < $end) {
        count_to(CHUNK);
        $loops += CHUNK;
    }
    echo $loops, ' ', used() - $before, "\n";
}
