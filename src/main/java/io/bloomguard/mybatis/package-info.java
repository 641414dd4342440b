/** MyBatis: the plugins that choose rows for each caller, and the writes of its statements. */
@NullMarked
package io.bloomguard.mybatis;

import org.jspecify.annotations.NullMarked;
