import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import GithubSlugger from 'github-slugger'
import anchor from 'markdown-it-anchor'
import { figuresPage } from './figures.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The order of the navigation. Pages under docs that no section names come last, so that none is missing. */
const sections = {
  Start: ['index', 'adopting', 'boot3', 'comparison', 'recipes', 'methods', 'web', 'reactive', 'kotlin', 'keys', 'testing', 'service-connections', 'beside'],
  'Filters and values': ['sources', 'changes', 'backends', 'redis-servers', 'replica', 'snapshots', 'image-sets', 'scale', 'values', 'loads', 'sizing', 'verification'],
  'Entities': ['jpa', 'spring-data-jdbc'],
  Operations: [
    'operations', 'bounds', 'configuration', 'extending', 'endpoint', 'metrics', 'console', 'security', 'server', 'gateway', 'writers', 'image', 'native'
  ],
  'Classic systems': [
    'classic', 'php', 'removal', 'deduplication', 'subjects', 'blacklists'
  ],
  Evidence: ['guarantees', 'proof', 'faults', 'controls', 'benchmarks/README', 'benchmarks/figures', 'architecture', 'decisions/README', 'releasing'],
  中文: ['zh/index', 'zh/terms', 'zh/recipes', 'zh/sizing', 'zh/operations', 'zh/guarantees', 'zh/comparison']
}

/** Paths of Markdown files below a folder of the repository, relative to its root. */
function markdown(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((file) => file.endsWith('.md'))
    .map((file) => posix.join(folder, file))
    .sort()
}

/** Pages that the site alone has, as if they lay in the repository. */
const made = new Map([
  ['docs/benchmarks/figures.md', figuresPage(JSON.parse(readFileSync(join(root, 'docs/benchmarks/results.json'), 'utf8')))]
])

const pages = [
  'README.md', 'README.zh-CN.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'helm/bloomguard/README.md', 'clients/README.md',
  ...markdown('docs'), ...made.keys()
].filter((page) => made.has(page) || existsSync(join(root, page)))

function markdownOf(page) {
  return made.get(page) ?? readFileSync(join(root, page), 'utf8')
}

/** Whether a page is one of the Chinese ones, which have a language and an entrance of their own. */
function chinese(page) {
  return page === 'README.zh-CN.md' || page.startsWith('docs/zh/')
}

/** The first heading of a page, without the marks of Markdown. */
function title(page) {
  return (markdownOf(page).match(/^# (.*)$/m)?.[1] ?? page).replace(/`/g, '')
}

function navigation() {
  const named = new Set(Object.values(sections).flat())
  const link = (page) => ({ title: title(`docs/${page}.md`), url: `/docs/${page}.html` })
  const others = pages
    .filter((page) => /^docs\/[^/]+\.md$/.test(page))
    .map((page) => page.slice('docs/'.length, -'.md'.length))
    .filter((page) => !named.has(page))
  return [
    ...Object.entries(sections).map(([text, names]) => ({
      text,
      links: names.filter((name) => pages.includes(`docs/${name}.md`)).map(link)
    })),
    ...(others.length === 0 ? [] : [{ text: 'More', links: others.map(link) }]),
    { text: 'Runbooks', links: markdown('docs/runbooks').map((page) => link(page.slice('docs/'.length, -'.md'.length))) },
    {
      text: 'Project',
      links: pages
        .filter((page) => !page.startsWith('docs/'))
        .map((page) => ({
          title: title(page) + (chinese(page) ? '（中文）' : ''),
          url: '/' + page.replace(/\.md$/, '.html')
        }))
    }
  ]
}

/** A link between Markdown files becomes one between pages; one to another file of the repository, but figures, only shows its name. */
function rewriteLinks(md) {
  md.core.ruler.push('links', (state) => {
    for (const token of state.tokens.flatMap((block) => block.children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null
      if (!href || /^(#|[a-z]+:)/.test(href)) continue
      const [path, fragment] = href.split('#')
      const target = posix.join(dirname(state.env.source), path)
      const page = [target, posix.join(target, 'README.md'), target.replace(/results\.json$/, 'figures.md')].find((candidate) => pages.includes(candidate))
      if (page) {
        const url = posix.relative(dirname(state.env.source), page).replace(/\.md$/, '.html')
        token.attrSet('href', url + (fragment ? '#' + fragment : ''))
      } else {
        if (!existsSync(join(root, target))) throw new Error(`${state.env.source} links to ${href}, which does not exist`)
        if (!target.endsWith('.csv')) token.attrs = []
      }
    }
  })
}

export default function (eleventy) {
  eleventy.addGlobalData('navigation', navigation())
  for (const page of pages) {
    eleventy.addTemplate(page, markdownOf(page), {
      layout: 'page.njk',
      source: page,
      title: title(page),
      lang: chinese(page) ? 'zh-CN' : 'en',
      up: '../'.repeat(page.split('/').length - 1) || './',
      permalink: page.replace(/\.md$/, '.html'),
      templateEngineOverride: 'md'
    })
  }
  eleventy.addWatchTarget(join(root, 'docs'))
  eleventy.addPassthroughCopy('pages/style.css')
  eleventy.addPassthroughCopy({ 'node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js': 'mermaid.js' })
  for (const folder of ['docs', 'docs/images', 'docs/benchmarks']) {
    for (const file of readdirSync(join(root, folder)).filter((name) => /\.(svg|png|csv)$/.test(name))) {
      eleventy.addPassthroughCopy({ [join('../..', folder, file)]: posix.join(folder, file) })
    }
  }
  eleventy.amendLibrary('md', (md) => {
    md.set({ html: true })
    md.enable('code')
    md.use(anchor, {
      // The same identifiers as repository viewers give, which the links between the pages use.
      slugifyWithState: (text, state) => (state.env.slugger ??= new GithubSlugger()).slug(text),
      permalink: anchor.permalink.headerLink({ safariReaderFix: true })
    })
    md.use(rewriteLinks)
    const fence = md.renderer.rules.fence
    md.renderer.rules.fence = (tokens, index, ...rest) =>
      tokens[index].info.trim() === 'mermaid'
        ? `<pre class="mermaid">${md.utils.escapeHtml(tokens[index].content)}</pre>`
        : fence(tokens, index, ...rest)
    const open = md.renderer.rules.table_open ?? (() => '<table>')
    md.renderer.rules.table_open = (...all) => '<div class="wide">' + open(...all)
    md.renderer.rules.table_close = () => '</table></div>'
  })
  return {
    dir: { input: 'pages', includes: '../layout', output: '../../target/docs' },
    markdownTemplateEngine: false,
    htmlTemplateEngine: false
  }
}
