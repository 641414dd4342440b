/** The verification of rejections: a few go to the load, and a wrong one disarms the filter. */
@NullMarked
package io.bloomguard.guard.internal.verify;

import org.jspecify.annotations.NullMarked;
