package io.bloomguard.it.realinput;

/**
 * One package.
 *
 * @param position its line in the list of names, from 1
 */
public record PackageEntry(String name, int position) {}
