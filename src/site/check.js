// Fails when a page of the built site links to a page or heading that does not exist, or loads anything from elsewhere.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const site = fileURLToPath(new URL('../../target/docs', import.meta.url))
const pages = readdirSync(site, { recursive: true }).filter((file) => file.endsWith('.html'))
const texts = new Map(pages.map((page) => [page, readFileSync(join(site, page), 'utf8')]))
const faults = []

for (const [page, text] of texts) {
  for (const [, name, value] of text.matchAll(/<[^>]*?\s(href|src|srcset)="([^"]*)"/g)) {
    if (/^[a-z]+:/.test(value)) {
      if (name !== 'href' || /<link[^>]*href="[a-z]+:/.test(text)) faults.push(`${page} loads ${value}`)
      continue
    }
    const [path, fragment] = value.split('#')
    const target = path === '' ? page : posix.join(posix.dirname(page), decodeURI(path))
    if (!existsSync(join(site, target))) faults.push(`${page} links to ${value}, which does not exist`)
    else if (fragment && texts.has(target) && !texts.get(target).includes(`id="${decodeURIComponent(fragment)}"`)) {
      faults.push(`${page} links to ${value}, a heading that does not exist`)
    }
  }
}
if (faults.length > 0) {
  console.error(faults.join('\n'))
  process.exit(1)
}
console.log(`${pages.length} pages, every link between them leads somewhere`)
