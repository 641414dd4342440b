/** What answers a request whose key is absent or refused. */
@NullMarked
package io.bloomguard.web.internal;

import org.jspecify.annotations.NullMarked;
