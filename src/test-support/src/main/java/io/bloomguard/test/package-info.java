/** Test support for applications: filters in memory and assertions, in the {@code tests} jar. */
@NullMarked
package io.bloomguard.test;

import org.jspecify.annotations.NullMarked;
