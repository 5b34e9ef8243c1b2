import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const admin = fileURLToPath(new URL('../src/admin/', import.meta.url))
const styles = fileURLToPath(new URL('../node_modules/@mantine/core/styles', import.meta.url))

it('the admin includes the style files of the Mantine components that it imports', async () => {
  const common = await readFile(join(admin, 'theme/mantine.css'), 'utf8')
  const missing: string[] = []
  for (const entry of await readdir(admin, { recursive: true })) {
    if (!entry.endsWith('.tsx')) continue
    const code = await readFile(join(admin, entry), 'utf8')
    for (const [, names = ''] of code.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g))
      for (const name of names.split(',').map((one) => one.trim())) {
        const file = `styles/${name}.layer.css`
        if (existsSync(join(styles, `${name}.layer.css`)) && !common.includes(file) && !code.includes(file))
          missing.push(`${name} in ${entry}`)
      }
  }
  expect(missing).toEqual([])
})
