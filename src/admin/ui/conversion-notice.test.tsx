import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import { ConversionNotice } from './conversion-notice.tsx'

afterEach(cleanup)

describe('ConversionNotice', () => {
  it('renders nothing when there is no conversion', async () => {
    const { container } = await renderInAdmin(<ConversionNotice conversion={null} />)
    expect(container.querySelector('[role]')).toBeNull()
  })

  it('shows the progress of a running conversion', async () => {
    await renderInAdmin(
      <ConversionNotice conversion={{ state: 'running', done: 8_299, total: 20_000, repeated: [] }} />,
    )
    expect(screen.getByText('モデルの変更をコンテンツに反映しています（41%）')).toBeTruthy()
    const bar = screen.getByRole('progressbar', { name: 'モデルの変更の反映の進み具合' })
    expect([bar.getAttribute('aria-valuenow'), bar.getAttribute('aria-valuetext')]).toEqual([
      '41',
      '8,299 / 20,000件',
    ])
  })

  it('shows 0% while the conversion job is waiting', async () => {
    await renderInAdmin(
      <ConversionNotice conversion={{ state: 'waiting', done: 0, total: null, repeated: [] }} />,
      'en',
    )
    expect(screen.getByText('Converting documents after a model change: 0%')).toBeTruthy()
  })

  it('names the page where a stopped conversion can be resumed, and shows no progress bar', async () => {
    await renderInAdmin(
      <ConversionNotice conversion={{ state: 'stopped', done: 0, total: null, repeated: [] }} />,
    )
    expect(screen.getByRole('status').textContent).toContain('モデルの画面で反映を再開できます')
    expect(screen.queryByRole('progressbar')).toBeNull()
  })

  it('lists duplicate values, and calls `onContinue` when the resume button is clicked', async () => {
    const repeated = [{ field: 'code', value: 'A-1', documents: ['0'.repeat(24)] }]
    const onContinue = vi.fn()
    await renderInAdmin(
      <ConversionNotice
        conversion={{ state: 'stopped', done: 9, total: 9, repeated }}
        onContinue={onContinue}
      />,
    )
    expect(screen.getByRole('listitem').textContent).toContain('A-1')
    screen.getByRole('button', { name: '反映を再開する' }).click()
    expect(onContinue).toHaveBeenCalledOnce()
  })
})
