/** All figures of the benchmarks as a page in Markdown, from the results that are kept of each suite. */
export function figuresPage(suites) {
  return [
    '# All figures of the benchmarks',
    '[The short page](README.md) says how to read them, and has those that matter most.',
    ...suites.flatMap(section)
  ].join('\n\n')
}

function section({ name, title, text, plots, command, machine, rows }) {
  return [
    `## ${title}`,
    text,
    ...plots.map((plot, i) => `![${plot}](${name}-${i + 1}.svg)`),
    `\`${command}\`, on ${description(machine)}`,
    `<details><summary>All figures</summary>\n\n${table(rows)}\n\n</details>`
  ]
}

function description({ cpu, cores, cachesKiB, memory, os, jdk, heap, versions }) {
  const list = (pairs, unit) => Object.entries(pairs).map(([name, value]) => `${name} ${value}${unit}`).join(', ')
  return `${cpu}, ${cores} cores, ${list(cachesKiB, ' KiB')}, ${memory}, ${os}, ${jdk}, heap up to ${heap}; ${list(versions, '')}`
}

function table(rows) {
  const columns = [...new Set(rows.flatMap(Object.keys))]
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [
    line(columns),
    line(columns.map((column) => (rows.some((row) => typeof row[column] === 'number') ? '--:' : '---'))),
    ...rows.map((row) => line(columns.map((column) => cell(column, row[column]))))
  ].join('\n')
}

function cell(column, value) {
  if (typeof value !== 'number') return value ?? ''
  if (column === 'ratio') return value.toFixed(2) + 'x'
  // What is left of a byte is the profiler's own.
  return column === 'bytes' || Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))
}
