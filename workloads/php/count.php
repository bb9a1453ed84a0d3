<?php
// Keep the CPU busy for a fixed amount of work; see `count` in workloads/app/units.py.
function count_to(int $loops): int
{
    $number = 0;
    for ($i = 0; $i < $loops; $i++) {
        $number = ($number * 5 + 1) & 0xFFFF;
    }
    return $number;
}
