import { Button, Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { isComposing } from '#admin/lib/composing.ts'
import { type FieldInputProps, hasIssue, inputAria } from '../field-props.ts'
import { SortableItems } from '../sortable-items.tsx'
import { CharacterCount, OneText } from './one-text.tsx'

let lastKey = 0
const newKey = () => `text-${++lastKey}`

/** Several texts. In single-line texts, Enter adds a text below. */
export function MultipleTextInput(props: FieldInputProps<'TEXT'>) {
  const { field, onChange, readOnly, issues, id, labelId, describedBy } = props
  const t = useTranslations('fields')
  const texts = Array.isArray(props.value) ? props.value.map(String) : []
  const keys = useItemKeys(texts.length)
  const host = useRef<HTMLDivElement>(null)
  const full = field.maxItems != null && texts.length >= field.maxItems

  function focusItem(index: number) {
    requestAnimationFrame(() => {
      const boxes = host.current?.querySelectorAll<HTMLElement>('input, textarea')
      boxes?.[index]?.focus()
    })
  }

  function change(nextTexts: string[], nextKeys: string[]) {
    keys.set(nextKeys)
    onChange(nextTexts)
  }

  function insert(index: number) {
    if (full) return
    change(texts.toSpliced(index, 0, ''), keys.list.toSpliced(index, 0, newKey()))
    focusItem(index)
  }

  function remove(index: number) {
    change(texts.toSpliced(index, 1), keys.list.toSpliced(index, 1))
    if (texts.length > 1) focusItem(Math.max(0, index - 1))
    else requestAnimationFrame(() => host.current?.querySelector<HTMLElement>('[data-add]')?.focus())
  }

  function onKeyDown(event: KeyboardEvent, index: number) {
    if (isComposing(event) || field.inputType === 'textarea') return
    if (event.key === 'Enter' && !event.metaKey && !event.ctrlKey) {
      event.preventDefault()
      insert(index + 1)
    } else if (event.key === 'Backspace' && texts[index] === '' && texts.length > 1) {
      event.preventDefault()
      remove(index)
    }
  }

  return (
    <Stack gap="xs" ref={host} role="group" aria-labelledby={labelId} aria-describedby={describedBy}>
      <SortableItems
        keys={keys.list}
        readOnly={readOnly}
        names={texts}
        onMove={(from, to) => change(moved(texts, from, to), moved(keys.list, from, to))}
        onRemove={remove}
      >
        {(index) => (
          <>
            <OneText
              field={field}
              value={texts[index] ?? ''}
              onChange={(text) => onChange(texts.with(index, text))}
              onBlur={props.onBlur}
              readOnly={readOnly}
              invalid={hasIssue(issues, index)}
              attributes={{
                ...inputAria({ ...props, issues: issues.filter((issue) => issue.path === String(index)) }),
                id: index === 0 ? id : `${id}-${index}`,
                'aria-label': t('itemOf', { name: field.name, number: index + 1 }),
              }}
              onKeyDown={(event) => onKeyDown(event, index)}
            />
            <CharacterCount value={texts[index] ?? ''} limits={field} />
          </>
        )}
      </SortableItems>
      {!readOnly && (
        <div>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} />}
            disabled={full}
            data-add
            {...(texts.length === 0 ? { id } : {})}
            onClick={() => insert(texts.length)}
          >
            {t('addItem')}
          </Button>
        </div>
      )}
    </Stack>
  )
}

function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const item = list[from]
  return item === undefined ? [...list] : list.toSpliced(from, 1).toSpliced(to, 0, item)
}

/** Returns keys for items without an identity, and a function to set the keys. */
function useItemKeys(length: number) {
  const [list, set] = useState<string[]>(() => Array.from({ length }, newKey))
  if (list.length === length) return { list, set }
  // The number of items changed from outside (a merge, a restored draft). Existing items keep their keys in order.
  const fitted = Array.from({ length }, (_, index) => list[index] ?? newKey())
  set(fitted)
  return { list: fitted, set }
}
