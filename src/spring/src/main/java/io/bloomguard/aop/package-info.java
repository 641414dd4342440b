/** Method entry: annotated methods, their keys compiled at startup, applied by Spring AOP. */
@NullMarked
package io.bloomguard.aop;

import org.jspecify.annotations.NullMarked;
