import { readdirSync, readFileSync } from 'node:fs'

/**
 * Returns the CPU time in ms that these processes have used, with all their descendants unless `children` is false.
 * undefined: the system has no /proc.
 */
export function cpuTime(roots: number[], { children = true } = {}): number | undefined {
  try {
    const processes = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        const line = statOf(name)
        return line ? [line] : []
      })
    const wanted = new Set(roots)
    let ticks = 0
    // Children normally have larger ids than their parents, so each parent comes before its children.
    for (const { pid, parent, used } of processes.sort((a, b) => a.pid - b.pid))
      if (wanted.has(pid) || (children && wanted.has(parent))) {
        wanted.add(pid)
        ticks += used
      }
    return ticks * 10 // A tick is 10 ms.
  } catch {
    return undefined
  }
}

function statOf(pid: string): { pid: number; parent: number; used: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    // Includes the time of ended children, because PostgreSQL starts and ends processes continuously.
    const used = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0)
    return { pid: Number(pid), parent: Number(fields[1]), used }
  } catch {
    return undefined // The process ended in the meantime.
  }
}
