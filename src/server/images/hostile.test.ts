/** @module-tag full */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostileFiles } from '#test/hostile-files.ts'
import { inspect, transform } from './images.ts'
import { sanitizeSvg } from './svg.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imori-hostile-'))
})
afterAll(() => rm(folder, { recursive: true }))

const codeOf = (error: { code?: string }) => error.code ?? String(error)

/** Constructs that a sanitised SVG must not contain. */
const acting =
  /<script|\son\w+\s*=|foreignObject|<use|<image|<a[\s>]|<animate|<!DOCTYPE|<!ENTITY|javascript:|http:\/\/evil|file:\/\/|@import/i

describe('an untrusted file', () => {
  it.each(hostileFiles)(
    'has the expected type and result: $name',
    async ({ name, declared, bytes, found, made }) => {
      const path = join(folder, name.replaceAll(/\W/g, '-'))
      await writeFile(path, await bytes())
      const inspected = await inspect(path, declared, { spaceId: null }).catch(codeOf)
      expect(typeof inspected === 'string' ? inspected : inspected.mediaType).toBe(found)
      if (typeof inspected !== 'string' && inspected.safeBytes) await writeFile(path, inspected.safeBytes)
      if (found === 'image/svg+xml') expect(await readFile(path, 'utf8')).not.toMatch(acting)

      const result = await transform({
        path,
        transform: { width: 16, height: 16, fit: 'inside', format: 'webp' },
        focalPoint: null,
        stripMetadata: true,
        watermark: null,
      }).catch(codeOf)
      expect(typeof result === 'string' ? result : 'ok').toBe(made)
      if (typeof result !== 'string') {
        expect(Math.max(result.width, result.height)).toBe(16)
        expect(Buffer.from(result.bytes).toString('latin1', 8, 12)).toBe('WEBP')
      }
    },
  )

  it('is tested in at least 40 variants', () => {
    expect(hostileFiles.length).toBeGreaterThanOrEqual(40)
  })

  it('is refused if it is an SVG with too many elements or too deep nesting', () => {
    const of = (inside: string) => () =>
      sanitizeSvg(`<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`)
    expect(of(`${'<g>'.repeat(200)}${'</g>'.repeat(200)}`)).toThrow('ImageIsTooLarge')
    expect(of(`${'<g>'.repeat(199)}${'</g>'.repeat(199)}`)()).toBeNull()
    expect(of('<g/>'.repeat(200_000))).toThrow('ImageIsTooLarge')
    expect(of('<g/>'.repeat(1_000))()).toBeNull()
  })

  it('is not rewritten if it is a harmless SVG', async () => {
    const path = join(folder, 'honest.svg')
    await writeFile(
      path,
      '<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">\n' +
        '  <defs><linearGradient id="a"><stop offset="0" stop-color="#f00"/></linearGradient></defs>\n' +
        '  <g fill="url(#a)" transform="scale(2)"><path d="M1 1h10v10z"/></g><text x="1" y="9">イモリ &amp; 猫</text>\n</svg>\n',
    )
    const seen = await inspect(path, 'image/svg+xml', { spaceId: null })
    expect(seen).toMatchObject({ mediaType: 'image/svg+xml', width: 24, height: 24 })
    expect(seen.safeBytes && Buffer.from(seen.safeBytes).toString()).toBeUndefined()
  })
})
