package io.bloomguard.kotlin

import io.bloomguard.guard.BloomGuard
import io.bloomguard.guard.BloomGuards
import io.bloomguard.guard.Membership
import io.bloomguard.guard.internal.load.Place
import io.bloomguard.guard.Scope
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.ThreadContextElement
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.future.await
import kotlinx.coroutines.future.future

/** The guard of [filter] and the cache of the same name, for values of type [V]. */
public inline fun <reified V : Any> BloomGuards.guardOf(filter: String): BloomGuard<V> =
  guard(filter, V::class.javaObjectType)

/**
 * The value of [key]: null without a load if the filter says absent; from the value cache; or from
 * [loader], which runs once for all callers that wait for the key. No thread is blocked.
 *
 * The loader runs in the context of the coroutine that calls it first, its dispatcher included. It
 * is no child of that coroutine: a caller that is cancelled gives up its wait at once, while the
 * load runs to its end, for the other callers and the cache. After `bloomguard.load.timeout` all
 * callers fail with a [java.util.concurrent.TimeoutException].
 *
 * @throws io.bloomguard.guard.RequestShedException as [BloomGuard.get] does
 * @throws IllegalStateException if the loader was cancelled by itself
 * @throws Throwable the exception of the loader; callers that waited for it get the same
 */
public suspend fun <K : Any, V : Any> BloomGuard<V>.await(key: K, loader: suspend (K) -> V?): V? {
  val context = currentCoroutineContext()
  return getAsync(key) { loading(context) { loader(key) } }.come()
}

/**
 * The values of [keys], with one call of [loader] for all keys that must be loaded here, as
 * [BloomGuard.getAll]. Keys without a value are not in the answer. A thread of the guard waits for
 * the loader, which runs in this coroutine's context and is cancelled after
 * `bloomguard.load.timeout`.
 */
public suspend fun <K : Any, V : Any> BloomGuard<V>.awaitAll(
  keys: Collection<K>,
  loader: suspend (Set<K>) -> Map<K, V>,
): Map<K, V> {
  val context = currentCoroutineContext()
  return getAllAsync(keys) { missing -> loading(context) { loader(missing) } }.come()
}

/** The filter's answer for [key], without a load. */
public suspend fun BloomGuard<*>.awaitCheck(key: Any): Membership = checkAsync(key).come()

/** The filter's answers for [keys], in their order, without a load. */
public suspend fun BloomGuard<*>.awaitCheckAll(keys: Collection<*>): List<Membership> =
  checkAllAsync(keys).come()

/**
 * Adds [key] before its row becomes visible, as [BloomGuard.put]. Returns whether it was new. The
 * add is stored once this returns; a caller that is cancelled meanwhile does not know.
 */
public suspend fun BloomGuard<*>.awaitPut(key: Any): Boolean = putAsync(key).come()

/** As [awaitPut], for many keys. Returns how many were new. */
public suspend fun BloomGuard<*>.awaitPutAll(keys: Collection<*>): Int = putAllAsync(keys).come()

/** Drops the value and null entry of [key], as [BloomGuard.evict]. */
public suspend fun BloomGuard<*>.awaitEvict(key: Any) {
  evictAsync(key).come()
}

/** Waits without a thread. A cancellation that is not this coroutine's own is a failure here. */
private suspend fun <T> CompletionStage<T>.come(): T =
  try {
    await()
  } catch (e: TimeoutCancellationException) {
    throw e
  } catch (e: CancellationException) {
    currentCoroutineContext().ensureActive()
    throw IllegalStateException("The load was cancelled", e)
  }

/** A load in [context], within the place in the bulkhead that the calling thread works in. */
private fun <T> loading(context: CoroutineContext, load: suspend () -> T): CompletableFuture<T> =
  CoroutineScope(context.minusKey(Job) + Within(Place.current())).future { load() }

/** The place of a load, on every thread that the load runs on: its own guarded calls borrow it. */
private class Within(private val place: Place?) :
  AbstractCoroutineContextElement(Key), ThreadContextElement<Scope> {

  override fun updateThreadContext(context: CoroutineContext): Scope = place?.enter() ?: Scope.NONE

  override fun restoreThreadContext(context: CoroutineContext, oldState: Scope) {
    oldState.close()
  }

  companion object Key : CoroutineContext.Key<Within>
}
