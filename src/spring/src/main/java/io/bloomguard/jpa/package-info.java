/** JPA entities: the recognition of entities among values, and their writes. */
@NullMarked
package io.bloomguard.jpa;

import org.jspecify.annotations.NullMarked;
