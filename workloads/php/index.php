<?php
// The application of the labs in PHP: GET /?loops=<int>&wait=<seconds>, and /ready.
// It computes, then waits, then answers; Apache's mod_php and php-fpm run it.
$began = hrtime(true);
$used = cpu_s();
require __DIR__ . '/count.php';

const MOST_LOOPS = 6000000000;  // a minute or two, as in workloads/app/application.py

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
[$loops, $wait] = [$_GET['loops'] ?? '0', $_GET['wait'] ?? '0'];
header('Content-Type: text/plain');
header('X-Process: ' . getmypid());
if ($path === '/ready') {
    $body = getenv('WALL_TIME_NONCE') ?: 'ready';
} elseif ($path !== '/') {
    http_response_code(404);
    $body = "There is only / and /ready.\n";
} elseif (!is_string($loops) || !is_string($wait)) {
    http_response_code(400);
    $body = "loops and wait: give each once.\n";
} elseif (!preg_match('/^\d{1,11}$/D', $loops) || $loops > MOST_LOOPS) {
    http_response_code(400);
    $body = 'loops=' . substr($loops, 0, 40) . ': give a whole number up to ' . MOST_LOOPS . ".\n";
} elseif (!is_numeric($wait) || $wait < 0 || $wait > 60) {
    http_response_code(400);
    $body = 'wait=' . substr($wait, 0, 40) . ": give seconds from 0 to 60.\n";
} else {
    count_to((int) $loops);
    if ($wait > 0) {
        usleep((int) round($wait * 1e6));
    }
    $body = "done\n";
}
// As of the application in Python: its begin and end in seconds, the CPU time, the wait asked for.
$times = [$began / 1e9, hrtime(true) / 1e9, cpu_s() - $used, is_numeric($wait) ? $wait : 0];
header('X-Service: ' . vsprintf('%.6F %.6F %.6F %.6F', $times));
header('Content-Length: ' . strlen($body));
echo $body;

// Of this process, which has one thread.
function cpu_s(): float
{
    $used = getrusage();
    $seconds = $used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec'];
    return $seconds + ($used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec']) / 1e6;
}
