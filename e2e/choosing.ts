import type { Locator } from '@playwright/test'
import { expect } from './fixtures.ts'

/**
 * Opens the focused drop-down with an arrow key, moves to the option of this name and chooses it with Enter. When a
 * list opens, two timers of Mantine's Combobox set the index of the marked option. If no option is selected, the first
 * timer sets it to -1. An arrow key between the two timers starts at the top again, so arrows are pressed until the
 * option is marked.
 */
export async function chooseByKeyboard(dropDown: Locator, name: string): Promise<void> {
  const page = dropDown.page()
  const option = page.getByRole('option', { name, exact: true })
  await expect(async () => {
    await page.keyboard.press('ArrowDown')
    await expect(option).toHaveAttribute('data-combobox-selected', 'true', { timeout: 500 })
  }).toPass()
  await page.keyboard.press('Enter')
  await expect(dropDown).toHaveValue(name)
}
