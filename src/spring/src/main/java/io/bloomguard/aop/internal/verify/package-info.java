/** The proxies of annotated methods, and the check at the start that each of them is seen. */
@NullMarked
package io.bloomguard.aop.internal.verify;

import org.jspecify.annotations.NullMarked;
