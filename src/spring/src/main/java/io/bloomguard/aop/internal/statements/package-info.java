/** What statements write past the guard, and what is told of it at the start. */
@NullMarked
package io.bloomguard.aop.internal.statements;

import org.jspecify.annotations.NullMarked;
