import { cleanup, fireEvent, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import { fieldSchema } from '#shared/fields/index.ts'
import type { FieldSettingsProps } from '../field-props.ts'
import { adminFieldType } from '../index.ts'
import { MultiTypeSettingsForm } from './settings.tsx'

afterEach(cleanup)

type Props = FieldSettingsProps<'MULTI_TYPE'>

function Host({ initial, onChange }: { initial: Props['field']; onChange: (types: unknown) => void }) {
  const [field, setField] = useState(initial)
  const props = {
    field,
    onChange: (patch: Partial<Props['field']>) => {
      onChange(patch.types)
      setField({ ...field, ...patch })
    },
    onBlur: () => undefined,
    problem: () => null,
    readOnly: false,
    customTypes: [],
    models: [],
    lookOf: adminFieldType,
  }
  return <MultiTypeSettingsForm {...(props as unknown as Props)} />
}

it('MultiTypeSettingsForm switches one type to several values and back, and keeps the other type', async () => {
  answerRequests(() => ({ body: {} }))
  const types = [{ type: 'IMAGE' }, { type: 'RICH_TEXT' }]
  const field = fieldSchema.parse({ _id: '9'.repeat(24), uid: 'f', name: '本文', type: 'MULTI_TYPE', types })
  const changes: unknown[] = []
  await renderInAdmin(<Host initial={field as Props['field']} onChange={(next) => changes.push(next)} />)
  fireEvent.click(screen.getByRole('button', { name: '「画像」の設定' }))
  const several = () => screen.getByRole('switch', { name: /^1つのブロックに複数の値を入れる/ })
  fireEvent.click(several())
  expect(changes.at(-1)).toMatchObject([{ type: 'IMAGE', multiple: true }, { type: 'RICH_TEXT' }])
  expect(screen.getByText('画像（複数）')).toBeTruthy()
  fireEvent.click(several())
  expect(changes.at(-1)).toMatchObject([{ type: 'IMAGE' }, { type: 'RICH_TEXT' }])
  expect(JSON.stringify(changes.at(-1))).not.toContain('multiple')
})
