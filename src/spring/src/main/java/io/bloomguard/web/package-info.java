/**
 * Web entry: keys in request paths, checked before a handler of Spring MVC or WebFlux is called.
 */
@NullMarked
package io.bloomguard.web;

import org.jspecify.annotations.NullMarked;
