/** Servlet entry: keys in request paths, checked before a handler is called. */
@NullMarked
package io.bloomguard.web;

import org.jspecify.annotations.NullMarked;
