<?php
// The application of the labs in PHP: GET /?loops=<int>&wait=<seconds>, and /ready.
// It computes, then waits, then answers; Apache's mod_php and php-fpm run it.
$began = hrtime(true);
require __DIR__ . '/count.php';

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$loops = $_GET['loops'] ?? '0';
$wait = $_GET['wait'] ?? '0';
header('Content-Type: text/plain');
header('X-Process: ' . getmypid());
if ($path === '/ready') {
    $body = getenv('WALL_TIME_NONCE') ?: 'ready';
} elseif ($path !== '/') {
    http_response_code(404);
    $body = "There is only / and /ready.\n";
} elseif (!preg_match('/^\d{1,11}$/', $loops)) {
    http_response_code(400);
    $body = 'loops=' . substr($loops, 0, 40) . ": give a whole number up to 99999999999.\n";
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
header('X-Service: ' . intdiv(hrtime(true) - $began, 1000));
header('Content-Length: ' . strlen($body));
echo $body;
