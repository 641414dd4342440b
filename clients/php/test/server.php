<?php

/** A server that gives the answers in its argument (JSON), one to each connection, then none; it prints its address first. */

$answers = json_decode($argv[1], true);
$server = stream_socket_server('tcp://127.0.0.1:0');
echo stream_socket_get_name($server, false), "\n";
$open = [];
while ($connection = stream_socket_accept($server, -1)) {
    $open[] = $connection;
    if (!$answers) {
        continue;
    }
    $length = 0;
    while (($line = trim((string) fgets($connection))) !== '') {
        if (stripos($line, 'Content-Length:') === 0) {
            $length = (int) substr($line, 15);
        }
    }
    $length > 0 && stream_get_contents($connection, $length);
    fwrite($connection, array_shift($answers));
    fclose(array_pop($open));
}
