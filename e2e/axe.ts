import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import type { Result, RunOptions } from 'axe-core'
import { isFull } from '../test/full-length.ts'
import { expect } from './fixtures.ts'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules about colours. The results of all other rules do not depend on the colour scheme. */
const colorRules = ['color-contrast', 'link-in-text-block']

/**
 * Fails if axe finds a serious or critical violation on the current screen, or content outside all landmarks. The
 * failure names rule, element and reason. With `colors`, checks only the rules that depend on the colour scheme, and
 * only in `npm run test:full`; use it for a second scheme.
 */
export async function expectAccessible(
  page: Page,
  screen: string,
  look: 'all' | 'colors' = 'all',
): Promise<void> {
  if (look === 'colors' && !isFull) return
  await settled(page)
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  const violations = await page.evaluate(
    async (rules) => {
      const { axe } = window as unknown as {
        axe: { run(context: Document, options: RunOptions): Promise<{ violations: Result[] }> }
      }
      const options: RunOptions = {
        resultTypes: ['violations'],
        // The failure shows the HTML of an element, so selectors are not needed. Among the rules that run by default,
        // only rules with moderate violations need preloaded files.
        selectors: false,
        preload: false,
        ...(rules ? { runOnly: rules } : {}),
      }
      return (await axe.run(document, options)).violations.map((violation) => ({
        rule: violation.id,
        impact: violation.impact,
        places: violation.nodes.map((node) => `${node.html.slice(0, 200)}\n${node.failureSummary}`),
      }))
    },
    look === 'colors' ? colorRules : null,
  )
  const faults = violations.filter(
    ({ rule, impact }) => impact === 'serious' || impact === 'critical' || rule === 'region',
  )
  expect(faults, `faults on the screen: ${screen}`).toEqual([])
}

/** Waits until no grid is reloading and all finite animations have ended. A grid fades its content while it reloads. */
async function settled(page: Page): Promise<void> {
  await expect(page.locator('[role="grid"][aria-busy="true"]')).toHaveCount(0)
  await page.evaluate(() => {
    const ending = document
      .getAnimations()
      .filter(
        ({ playState, effect }) =>
          playState === 'running' && effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY,
      )
    return Promise.allSettled(ending.map(({ finished }) => finished))
  })
}
