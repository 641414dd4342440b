package io.bloomguard.kotlin

import io.bloomguard.generation.KeySource
import io.bloomguard.guard.BloomGuard
import io.bloomguard.guard.BloomGuards
import io.bloomguard.guard.Membership
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.minutes
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatIllegalArgumentException
import org.assertj.core.api.Assertions.assertThatIllegalStateException
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration

/** Guards of a real application, called by coroutines. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SuspendingGuardsTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  class Application {

    @Bean
    fun numbers() = KeySource { sink -> (1L..1000L).forEach { sink.accept(it) } }
  }

  private lateinit var application: ConfigurableApplicationContext
  private lateinit var guard: BloomGuard<String>
  private val loads = AtomicInteger()
  private val next = AtomicInteger()

  /** A key of the filter that no test has used. */
  private fun fresh(): Long = next.incrementAndGet().toLong()

  @BeforeAll
  fun start() {
    application = application(100)
    guard = guardOf(application)
  }

  @AfterAll
  fun stop() {
    application.close()
  }

  @BeforeEach
  fun forget() = loads.set(0)

  @Test
  fun aHundredCallsWaitOnOneThread() = test {
    val gate = CompletableDeferred<Unit>()
    val threads = ConcurrentHashMap.newKeySet<Thread>()
    Executors.newSingleThreadExecutor().asCoroutineDispatcher().use { one ->
      withContext(one) {
        val calls =
          (1..100).map { fresh() }.map { key ->
            async {
              guard.await(key) {
                threads.add(Thread.currentThread())
                loads.incrementAndGet()
                gate.await()
                threads.add(Thread.currentThread())
                "value $it"
              }
            }
          }
        // All of them wait, and this coroutine still has their only thread.
        while (loads.get() < 100) yield()
        assertThat(calls).noneMatch { it.isCompleted }
        gate.complete(Unit)
        assertThat(calls.awaitAll()).doesNotContainNull().doesNotHaveDuplicates()
        assertThat(threads).containsExactly(Thread.currentThread())
      }
    }
  }

  @Test
  fun anAbsentKeyIsRejectedWithoutALoad() = test {
    assertThat(guard.await(5000L) { loads.incrementAndGet().toString() }).isNull()
    assertThat(guard.awaitCheck(5000L)).isEqualTo(Membership.ABSENT)
    assertThat(loads).hasValue(0)
  }

  @Test
  fun aValueIsLoadedOnceAndANullIsKept() = test {
    val present = fresh()
    val missing = fresh()
    repeat(2) {
      assertThat(guard.await(present) { "${loads.incrementAndGet()}" }).isEqualTo("1")
      assertThat(guard.await(missing) { loads.addAndGet(10).let { null } }).isNull()
    }
    assertThat(loads).hasValue(11)
  }

  @Test
  fun anExceptionIsTheLoadersOwnForAllWhoWait() = test {
    val key = fresh()
    val gate = CompletableDeferred<Unit>()
    val calls =
      (1..2).map {
        CoroutineScope(Dispatchers.Default).async {
          runCatching {
            guard.await(key) {
              loads.incrementAndGet()
              gate.await()
              require(false) { "no row today" }
              null
            }
          }
        }
      }
    while (loads.get() == 0) yield()
    gate.complete(Unit)
    assertThat(calls.awaitAll()).allSatisfy {
      assertThat(it.exceptionOrNull())
        .isInstanceOf(IllegalArgumentException::class.java)
        .hasMessage("no row today")
    }
    assertThatIllegalArgumentException().isThrownBy { runBlocking { guard.awaitCheck("\n") } }
  }

  @Test
  fun aCallerThatIsCancelledLeavesAtOnceAndTheLoadGoesOn() = test {
    val key = fresh()
    val gate = CompletableDeferred<Unit>()
    val load: suspend (Long) -> String? = {
      loads.incrementAndGet()
      gate.await()
      "kept"
    }
    val first = async(Dispatchers.Default) { guard.await(key, load) }
    while (loads.get() == 0) yield()
    val second = async(Dispatchers.Default) { guard.await(key, load) }
    first.cancelAndJoin()
    assertThat(first.isCancelled).isTrue()
    assertThat(second.isCompleted).isFalse()
    gate.complete(Unit)
    assertThat(second.await()).isEqualTo("kept")
    assertThat(guard.await(key, load)).isEqualTo("kept")
    assertThat(loads).hasValue(1)
  }

  @Test
  fun aLoadThatCancelsItselfIsAFailureAndNoCancellationOfItsCaller() = test {
    assertThatIllegalStateException()
      .isThrownBy {
        runBlocking {
          guard.await(fresh()) {
            currentCoroutineContext().cancel()
            yield()
            "never"
          }
        }
      }
      .withMessage("The load was cancelled")
  }

  @Test
  fun theLoaderRunsInTheContextOfItsCaller() = test {
    withContext(CoroutineName("shop")) {
      val dispatcher = currentCoroutineContext()[kotlin.coroutines.ContinuationInterceptor]
      guard.await(fresh()) {
        assertThat(currentCoroutineContext()[CoroutineName]?.name).isEqualTo("shop")
        assertThat(currentCoroutineContext()[kotlin.coroutines.ContinuationInterceptor])
          .isSameAs(dispatcher)
        "value"
      }
    }
  }

  @Test
  fun aLoadWithinALoadBorrowsItsPlace() = test {
    application(1).use {
      val one = guardOf(it)
      val value =
        one.await(1L) {
          withContext(Dispatchers.IO) {
            yield()
            one.await(2L) { "inner" }
          }
        }
      assertThat(value).isEqualTo("inner")
    }
  }

  @Test
  fun manyKeysAreLoadedInOneCall() = test {
    val one = fresh()
    val two = fresh()
    val none = fresh()
    val found =
      guard.awaitAll(listOf(one, two, none, 5000L)) { missing ->
        loads.incrementAndGet()
        yield()
        assertThat(missing).containsExactlyInAnyOrder(one, two, none)
        mapOf(one to "one", two to "two")
      }
    assertThat(found).isEqualTo(mapOf(one to "one", two to "two"))
    assertThat(loads).hasValue(1)
    assertThat(guard.awaitCheckAll(listOf(one, 5000L)))
      .containsExactly(Membership.POSSIBLY_PRESENT, Membership.ABSENT)
  }

  @Test
  fun keysAreAddedAndEntriesDropped() = test {
    assertThat(guard.awaitPut(6001L)).isTrue()
    assertThat(guard.awaitPutAll(listOf(6001L, 6002L))).isEqualTo(1)
    assertThat(guard.await(6001L) { "old" }).isEqualTo("old")
    guard.awaitEvict(6001L)
    assertThat(guard.await(6001L) { "new" }).isEqualTo("new")
  }

  /** A test that ends, whatever waits. */
  private fun test(body: suspend CoroutineScope.() -> Unit): Unit = runBlocking {
    withTimeout(2.minutes, body)
  }

  private fun application(places: Int): ConfigurableApplicationContext =
    SpringApplicationBuilder(Application::class.java)
      .web(WebApplicationType.NONE)
      .properties(
        "bloomguard.filters.numbers.source.bean=numbers",
        "bloomguard.filters.numbers.warm-up.mode=blocking",
        "bloomguard.filters.numbers.verify.first=0",
        "bloomguard.filters.numbers.verify.sample=0",
        "bloomguard.filters.numbers.cache.ttl=10m",
        "bloomguard.load.timeout=1m",
        "bloomguard.mutex.wait=1m",
        "bloomguard.mutex.lease=3m",
        "bloomguard.load.max-concurrent=$places",
      )
      .run()

  private fun guardOf(context: ConfigurableApplicationContext): BloomGuard<String> =
    context.getBean(BloomGuards::class.java).guardOf("numbers")
}
