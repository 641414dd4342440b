package io.bloomguard.kotlin

import io.bloomguard.guard.BloomGuards

/** The example of the documentation. */
// tag::products[]
class Products(guards: BloomGuards, private val rows: ProductRows) {

  private val guard = guards.guardOf<Product>("products")

  suspend fun find(id: Long): Product? = guard.await(id) { rows.find(it) }

  suspend fun findAll(ids: Collection<Long>): Map<Long, Product> =
    guard.awaitAll(ids) { missing -> rows.findAll(missing) }

  suspend fun insert(product: Product) {
    guard.awaitPut(product.id)
    rows.insert(product)
    guard.awaitEvict(product.id)
  }
}

// end::products[]

data class Product(val id: Long, val name: String)

/** A repository with suspend functions. */
interface ProductRows {

  suspend fun find(id: Long): Product?

  suspend fun findAll(ids: Set<Long>): Map<Long, Product>

  suspend fun insert(product: Product)
}
