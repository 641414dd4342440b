<?php

/**
 * Tests of the client against a real server, and against servers that fail: php clients/php/test/test.php
 *
 * `mvn -Poperators verify -Dinvoker.test=clients` starts the real one: BLOOMGUARD_URL is its address, BLOOMGUARD_AUTHORIZATION the
 * credentials of an operator. Its filter `codes` counts, `cold` is not filled, `seen` has a filter for each subject, and its batches may
 * take 4 MB.
 */

declare(strict_types=1);

require __DIR__ . '/../bloomguard.php';

error_reporting(E_ALL);
set_error_handler(function (int $level, string $message, string $file, int $line): bool {
    // Silenced with @.
    return error_reporting() & $level ? throw new ErrorException($message, 0, $level, $file, $line) : false;
});

/** Above the time that a busy machine may take; the time-out itself has tests with a shorter one. */
const PATIENT = 60.0;

function same(mixed $expected, mixed $actual): void
{
    if ($expected !== $actual) {
        throw new Exception('Expected ' . substr(json_encode($expected), 0, 300) . ', but got ' . substr(json_encode($actual), 0, 300));
    }
}

/** The exception of a call. */
function thrown(callable $call): BloomguardException
{
    try {
        $call();
    } catch (BloomguardException $e) {
        return $e;
    }
    throw new Exception('Nothing was thrown');
}

function keys(int $count, string $prefix): array
{
    return array_map(fn ($i) => "$prefix-$i", range(0, $count - 1));
}

function answer(string $status, string $body, string $type = 'application/json', string $headers = ''): string
{
    return "HTTP/1.1 $status\r\nContent-Type: $type\r\n{$headers}Content-Length: " . strlen($body) . "\r\nConnection: close\r\n\r\n$body";
}

function results(string $word, int $count): string
{
    return answer('200 OK', json_encode(['results' => array_fill(0, $count, $word)]));
}

/** Calls with the address of a server that gives those answers. */
function with(array $answers, callable $use): void
{
    $process = proc_open([PHP_BINARY, __DIR__ . '/server.php', json_encode($answers)], [1 => ['pipe', 'w']], $pipes);
    try {
        $use('http://' . trim(fgets($pipes[1])));
    } finally {
        proc_terminate($process, 9);
        proc_close($process);
    }
}

/** Every key is UNKNOWN, for one reason. */
function unknown(string $url, array $keys, float $timeout = PATIENT): BloomguardException
{
    $failures = [];
    $client = new Bloomguard($url, $timeout, onFailure: function (BloomguardException $e) use (&$failures) {
        $failures[] = $e;
    });
    same(array_fill(0, count($keys), 'UNKNOWN'), $client->check('codes', $keys));
    same(1, count($failures));
    return $failures[0];
}

$url = getenv('BLOOMGUARD_URL');
$failures = [];
$client = new Bloomguard($url, PATIENT, getenv('BLOOMGUARD_AUTHORIZATION'), function (BloomguardException $e) use (&$failures) {
    $failures[] = $e;
});
$problem = 'application/problem+json';

$tests = [
    'checks, adds and removes keys' => function () use ($client, &$failures) {
        same(3, $client->add('codes', ['php-a', 'php-b', 9000001]));
        same(0, $client->add('codes', ['php-a']));
        same(
            ['POSSIBLY_PRESENT', 'ABSENT', 'POSSIBLY_PRESENT', 'POSSIBLY_PRESENT'],
            $client->check('codes', ['php-a', 'php-none', '9000001', 9000001]),
        );
        same(2, $client->remove('codes', ['php-a', 'php-b', 'php-none']));
        same(['ABSENT'], $client->check('codes', ['php-b']));
        same([], $failures);
    },
    'splits more than 10,000 keys, and keeps their order' => function () use ($client) {
        $all = keys(20001, 'php-many');
        $some = [$all[0], $all[9999], $all[10000], $all[20000]];
        same(4, $client->add('codes', $some));
        $answers = $client->check('codes', $all);
        same(20001, count($answers));
        foreach ([0, 9999, 10000, 20000] as $i) {
            same('POSSIBLY_PRESENT', $answers[$i]);
        }
        same(true, count(array_keys($answers, 'ABSENT')) > 19000);
        same(3, $client->remove('codes', array_slice($some, 1)));
        // Added twice, and named in two batches: removed once.
        $client->add('codes', [$all[0]]);
        same(1, $client->remove('codes', [...$all, $all[0]]));
        same(['POSSIBLY_PRESENT'], $client->check('codes', [$all[0]]));
        same([], $client->check('codes', []));
    },
    'tells subjects apart' => function () use ($client) {
        same(1, $client->add('seen', ['a'], 'php-1'));
        same(1, $client->add('seen', ['b'], 'php-2'));
        same(['POSSIBLY_PRESENT', 'ABSENT'], $client->check('seen', ['a', 'b'], 'php-1'));
    },
    'takes the word of a filter that cannot tell' => function () use ($client, &$failures) {
        same(['UNKNOWN', 'UNKNOWN'], $client->check('cold', ['a', 1]));
        same([], $failures);
    },
    'reports found keys' => function () use ($client) {
        $client->add('codes', ['php-found']);
        same(0, $client->found('codes', ['php-found']));
        same(['POSSIBLY_PRESENT'], $client->check('codes', ['php-found']));
    },
    'sizes filters' => function () use ($client) {
        $sizes = $client->sizing(1000000, 0.001, 8);
        same([1000000, 8000000], [$sizes['insertions'], $sizes['exact']['bytes']]);
        same(false, isset($client->sizing(1000000, 0.001)['exact']));
        same([400, true], [($e = thrown(fn () => $client->sizing(0, 0.001)))->status, $e->refused]);
    },
    'tells of refusals, and names no key' => function () use ($client, $url) {
        same([404, true], [($e = thrown(fn () => $client->check('none', ['a'])))->status, $e->refused]);
        $e = thrown(fn () => $client->check('codes', ["secret\0"]));
        same([400, true, false], [$e->status, $e->refused, str_contains($e->getMessage(), 'secret')]);
        same(true, thrown(fn () => $client->check('codes', ["\xff"]))->refused);
        same([409, true], [($e = thrown(fn () => $client->remove('cold', ['a'])))->status, $e->refused]);
        same([401, true], [($e = thrown(fn () => (new Bloomguard($url, PATIENT))->check('codes', ['a'])))->status, $e->refused]);
    },
    'surfaces Retry-After, and answers UNKNOWN meanwhile' => function () use ($client, &$failures) {
        $large = keys(10000, str_repeat('x', 240));
        same(array_fill(0, 10000, 'UNKNOWN'), $client->check('codes', $large));
        same([503, 1], [$failures[0]->status, $failures[0]->retryAfter]);
        same([503, 1, false], [($e = thrown(fn () => $client->add('codes', $large)))->status, $e->retryAfter, $e->refused]);
    },
    'every key is UNKNOWN where nothing listens' => function () {
        $closed = stream_socket_server('tcp://127.0.0.1:0');
        $address = 'http://' . stream_socket_get_name($closed, false);
        fclose($closed);
        same(null, unknown($address, ['a', 'b'])->status);
    },
    'every key is UNKNOWN after the time-out' => function () {
        with([], fn ($url) => same(null, unknown($url, ['a'], 0.05)->status));
    },
    'the answers before a failure stand, and those after it are UNKNOWN' => function () {
        with([results('ABSENT', 10000), answer('503 No', 'x', 'text/html'), results('ABSENT', 1)], function ($url) {
            same(
                [...array_fill(0, 10000, 'ABSENT'), ...array_fill(0, 10001, 'UNKNOWN')],
                (new Bloomguard($url, PATIENT))->check('codes', keys(20001, 'k')),
            );
        });
    },
    'a write that fails says how many keys are done' => function () {
        with([answer('200 OK', '{"added":7}'), answer('503 No', '{}', 'application/json', "Retry-After: 60\r\n")], function ($url) {
            $e = thrown(fn () => (new Bloomguard($url, PATIENT))->add('codes', keys(10001, 'k')));
            same([503, 60, 10000, false], [$e->status, $e->retryAfter, $e->completed, $e->refused]);
        });
        with([answer('200 OK', '{}')], fn ($url) => thrown(fn () => (new Bloomguard($url, PATIENT))->remove('codes', ['a'])));
        with([answer('200 OK', '<html>')], fn ($url) => thrown(fn () => (new Bloomguard($url, PATIENT))->found('codes', ['a'])));
    },
];
foreach ([
    'a fault' => answer('500 No', '{"status":500}', $problem),
    'a slow body' => answer('408 No', '{"status":408}', $problem),
    'a proxy without a server' => answer('502 No', '<html>', 'text/html'),
    "a proxy's own 404" => answer('404 No', '<html>', 'text/html'),
    'a page' => answer('200 OK', '<html>', 'text/html'),
    'a redirection' => answer('302 Found', '', 'text/html', "Location: /elsewhere\r\n"),
    'no content' => "HTTP/1.1 204 No\r\nConnection: close\r\n\r\n",
    'too few answers' => results('ABSENT', 1),
    'too many answers' => results('ABSENT', 3),
    'another word' => results('absent', 2),
    'half an answer' => "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"results\":[\"ABSENT\",\"ABS",
    'no HTTP' => "hello\r\n",
    'nothing' => '',
] as $what => $response) {
    $tests["every key is UNKNOWN after $what"] = fn () => with([$response], fn ($url) => unknown($url, ['a', 'b']));
}

$wrong = 0;
foreach ($tests as $name => $test) {
    try {
        $test();
        echo "ok      $name\n";
    } catch (Throwable $e) {
        $wrong++;
        echo "FAILED  $name: ", get_class($e), ': ', $e->getMessage(), ' at line ', $e->getLine(), "\n";
    }
}
echo count($tests), " tests, $wrong failed\n";
exit($wrong === 0 ? 0 : 1);
