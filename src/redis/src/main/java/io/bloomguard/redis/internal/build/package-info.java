/**
 * The making of a generation in Redis: the right to build, the upload, the publishing, and the
 * status of rebuilds.
 */
@NullMarked
package io.bloomguard.redis.internal.build;

import org.jspecify.annotations.NullMarked;
