/** The rows of any mapper: the keys that their annotations name, and the unit of their writes. */
@NullMarked
package io.bloomguard.data.internal.row;

import org.jspecify.annotations.NullMarked;
