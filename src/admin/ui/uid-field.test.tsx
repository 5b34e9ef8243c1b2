import { cleanup, fireEvent, screen } from '@testing-library/react'
import { type ReactNode, useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import { UidField } from './uid-field.tsx'

afterEach(cleanup)

function Form({ suggested }: { suggested: string }): ReactNode {
  const [uid, setUid] = useState('')
  return (
    <UidField
      kind="app"
      label="uid"
      current={uid}
      {...{ value: uid }}
      suggest={() => setUid(suggested)}
      onChange={(event) => setUid(event.currentTarget.value)}
    />
  )
}

const box = () => screen.getByRole<HTMLInputElement>('textbox')

it('the uid field fills an empty input with the suggestion on focus, and selects the suggestion', async () => {
  await renderInAdmin(<Form suggested="blog" />)
  box().focus()
  expect([box().value, box().selectionStart, box().selectionEnd]).toEqual(['blog', 0, 4])
  fireEvent.change(box(), { target: { value: 'mine' } })
  box().blur()
  box().focus()
  expect(box().value).toBe('mine')
})

it('the uid field stays empty on focus if there is no suggestion', async () => {
  await renderInAdmin(<Form suggested="" />)
  box().focus()
  expect(box().value).toBe('')
})
