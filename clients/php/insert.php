<?php

/**
 * Inserts a product, whose key enters the filter before its row becomes visible: php clients/php/insert.php "Blue lamp"
 *
 * DATABASE is a DSN of PDO, BLOOMGUARD_URL the server's address, BLOOMGUARD_AUTHORIZATION the header for it.
 */

declare(strict_types=1);

require __DIR__ . '/bloomguard.php';

$database = new PDO(getenv('DATABASE'));
$guard = new Bloomguard(getenv('BLOOMGUARD_URL'), 5.0, getenv('BLOOMGUARD_AUTHORIZATION') ?: null);

// tag::insert[]
function insert(PDO $database, Bloomguard $guard, string $name): void
{
    $database->beginTransaction();
    try {
        $row = $database->prepare('insert into products (name) values (?) returning id');
        $row->execute([$name]);
        $guard->add('products', [$row->fetchColumn()]);   // throws, if the filter may lack the key
        $database->commit();
    } catch (Throwable $e) {
        $database->rollBack();
        throw $e;
    }
}
// end::insert[]

insert($database, $guard, $argv[1]);
