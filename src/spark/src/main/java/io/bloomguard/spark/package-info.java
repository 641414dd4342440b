/** The job that builds the images of a filter from a table, by Apache Spark. */
@NullMarked
package io.bloomguard.spark;

import org.jspecify.annotations.NullMarked;
