/** JPA entities: the recognition of entities among values, and their writes. */
@NullMarked
package io.bloomguard.jpa.internal;

import org.jspecify.annotations.NullMarked;
