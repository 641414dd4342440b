package io.bloomguard.it.workshop;

/** The suite with filters in this process. */
class LocalGuardedTest extends GuardedSuite {}
