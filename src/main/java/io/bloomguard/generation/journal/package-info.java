/** The keys added of late, as those who must add them again remember them, and their bound. */
@org.jspecify.annotations.NullMarked
package io.bloomguard.generation.journal;
