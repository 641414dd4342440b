package io.bloomguard.it.workshop;

/** With filters in this process. */
class LocalFuzzTest extends WriteFuzz {}
