/** What sources of keys and stores of an application implement, and their status. */
@NullMarked
package io.bloomguard.generation;

import org.jspecify.annotations.NullMarked;
