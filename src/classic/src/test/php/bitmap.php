<?php
// Adds keys to bitmaps in Redis, or asks them, as a PHP shop does. Reads a job in JSON, writes an array of booleans:
// whether all bits of each key were set.

error_reporting(E_ALL & ~E_DEPRECATED); // from PHP 8.1 on for every double that a bit operation makes an integer

/** @return int[] the bytes of a key */
function bytes(string $key): array
{
    return array_values(unpack('C*', $key));
}

/** What each hash ends in. */
function cut($hash): int
{
    return ($hash % 0xFFFFFFFF) & 0xFFFFFFFF;
}

function hashes(): array
{
    $fold = fn (callable $step, $first) => fn (string $key) => cut(array_reduce(bytes($key), $step, $first));
    return [
        'js' => $fold(fn ($h, $b) => $h ^ (($h << 5) + $b + ($h >> 2)), 1315423911),
        'pjw' => function (string $key) {
            $high = 0xFFFFFFFF << 28;
            $h = array_reduce(bytes($key), fn ($h, $b) => ($h << 4) + $b, 0);
            $test = $h & $high;
            return cut($test ? ($h ^ ($test >> 24)) & ~$high : $h);
        },
        'elf' => $fold(function ($h, $b) {
            $h = ($h << 4) + $b;
            $high = $h & 0xF0000000;
            return ($h ^ ($high >> 24)) & ~$high;
        }, 0),
        'bkdr' => $fold(fn ($h, $b) => (int) ($h * 131 + $b), 0),
        'sdbm' => $fold(fn ($h, $b) => (int) ($b + ($h << 6) + ($h << 16) - $h), 0),
        'djb' => $fold(fn ($h, $b) => (int) (($h << 5) + $h) + $b, 5381),
        'dek' => fn (string $key) => cut(array_reduce(bytes($key), fn ($h, $b) => ($h << 5) ^ ($h >> 27) ^ $b, strlen($key))),
        'fnv' => $fold(fn ($h, $b) => ((int) ($h * 16777619) % 0xFFFFFFFF) ^ $b, 2166136261),
    ];
}

/** BKDR with a seed of i + 2 digits, 1 and 3 in turn; 31 for the first. */
function seeded(string $key, int $i): int
{
    $seed = $i === 0 ? 31 : (int) substr(str_repeat('13', 9), 0, $i + 2);
    $step = fn ($h, $b) => (((float) ($h * $seed) & 0x7FFFFFFF) + $b) & 0x7FFFFFFF;
    return array_reduce(bytes($key), $step, 0);
}

$job = json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR);
$servers = array_map(function (array $address) {
    $redis = new Redis();
    $redis->connect($address[0], $address[1]);
    return $redis;
}, $job['servers']);
$named = hashes();
$answers = [];
foreach ($job['keys'] as $key) {
    $crc32 = crc32($key);
    $string = $job['key'] . ($job['partitions'] ? '.' . $crc32 % $job['partitions'] : '');
    $values = $job['seeds']
        ? array_map(fn ($i) => seeded($key, $i), range(0, $job['seeds'] - 1))
        : array_map(fn ($name) => $named[$name]($key), $job['hashes']);
    $pipe = $servers[$crc32 % count($servers)]->multi(Redis::PIPELINE);
    foreach ($values as $value) {
        $job['add'] ? $pipe->setBit($string, $value % $job['bits'], true) : $pipe->getBit($string, $value % $job['bits']);
    }
    $answers[] = array_sum($pipe->exec()) === count($values);
}
echo json_encode($answers);
