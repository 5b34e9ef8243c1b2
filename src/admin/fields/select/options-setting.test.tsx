import { cleanup, fireEvent, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import { fieldSchema } from '#shared/fields/index.ts'
import type { FieldSettingsProps } from '../field-props.ts'
import { OptionsSetting } from './options-setting.tsx'

afterEach(cleanup)

/** Settings that report an empty option even before its input has lost the focus. */
function Settings() {
  const [options, setOptions] = useState([{ value: '春', label: '' }])
  const field = fieldSchema.parse({
    _id: '0123456789abcdef01234567',
    uid: 'season',
    name: '季節',
    type: 'SELECT',
    options: [{ value: '春' }],
  })
  const props = {
    field: { ...field, options },
    onChange: (patch: { options: typeof options }) => setOptions(patch.options),
    onBlur: () => undefined,
    problem: (property: string) =>
      options[Number(property.split('.')[1])]?.value === '' ? '入力してください' : null,
    readOnly: false,
  }
  return <OptionsSetting {...(props as unknown as FieldSettingsProps<'SELECT'>)} />
}

it('the options setting shows the problem of a new option after its input has lost the focus', async () => {
  await renderInAdmin(<Settings />)
  fireEvent.click(screen.getByRole('button', { name: '選択肢を追加' }))
  const added = screen.getByRole('textbox', { name: '選択肢2の値' })
  expect(screen.queryByText('入力してください')).toBeNull()
  fireEvent.blur(added)
  expect(screen.getByText('入力してください')).toBeTruthy()
})
