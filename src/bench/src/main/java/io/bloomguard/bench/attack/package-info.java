/** The attack on one shop, which each contestant keeps from penetration in its own way. */
@NullMarked
package io.bloomguard.bench.attack;

import org.jspecify.annotations.NullMarked;
