import { ActionIcon, Button, Input, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { isComposing } from '#admin/lib/composing.ts'
import { SortableList } from '#admin/ui/sortable.tsx'
import type { FieldSettingsProps, SettingsOf } from '../field-props.ts'
import { NumberSetting } from '../settings-inputs.tsx'
import { useSortableLabels } from '../sortable-labels.ts'
import classes from './options-setting.module.css'

type Option = SettingsOf<'SELECT'>['options'][number]
interface Row {
  key: number
  option: Option
}

/** The setting of the options of a select field. */
export function OptionsSetting(props: FieldSettingsProps<'SELECT'>) {
  const { field, onChange, onBlur, problem, readOnly } = props
  const t = useTranslations('models.settings')
  const labels = useSortableLabels()
  const headingId = useId()
  const list = useRef<HTMLFieldSetElement>(null)
  const rows = useRows(field.options)
  const [added, setAdded] = useState(0)
  /** The row that was added last, until it loses the focus. Its problems are not shown. */
  const [fresh, setFresh] = useState<number | null>(null)

  useEffect(() => {
    if (added > 0) list.current?.querySelector<HTMLInputElement>('li:last-child input')?.focus()
  }, [added])

  const set = (next: Row[]) => onChange({ options: rows.keep(next) })
  const edit = (index: number, patch: Partial<Option>) =>
    onChange({
      options: field.options.map((option, at) => (at === index ? { ...option, ...patch } : option)),
    })

  function add() {
    const key = rows.nextKey()
    set([...rows.rows, { key, option: { value: '', label: '' } }])
    setFresh(key)
    setAdded((count) => count + 1)
  }

  function onKeyDown(event: KeyboardEvent, index: number) {
    if (event.key !== 'Enter' || isComposing(event) || readOnly) return
    event.preventDefault()
    if (index === field.options.length - 1) add()
    else list.current?.querySelectorAll<HTMLInputElement>('li')[index + 1]?.querySelector('input')?.focus()
  }

  return (
    <Input.Wrapper
      label={t('options')}
      description={t('optionsHint')}
      error={problem('options')}
      labelElement="div"
      labelProps={{ id: headingId }}
      withAsterisk
    >
      <fieldset ref={list} aria-labelledby={headingId} className={classes.options}>
        <SortableList
          items={rows.rows}
          getId={(row) => String(row.key)}
          getName={(row, index) =>
            row.option.label || String(row.option.value) || t('optionName', { number: index + 1 })
          }
          onMove={(from, to) => {
            const row = rows.rows[from]
            if (row) set(rows.rows.toSpliced(from, 1).toSpliced(to, 0, row))
          }}
          labels={labels}
          fixed={readOnly}
          renderItem={({ key, option }, index, handle) => {
            const property = `options.${index}.value`
            const valueProps = {
              'aria-label': t('optionValueOf', { number: index + 1 }),
              placeholder: t('optionValue'),
              error: key === fresh ? null : problem(property),
              readOnly,
              onBlur: () => {
                if (key === fresh) setFresh(null)
                onBlur(property)
              },
            }
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: Enter in one of the inputs moves to the next row.
              <div className={classes.row} onKeyDown={(event) => onKeyDown(event, index)}>
                {handle}
                {field.valueType === 'number' ? (
                  <NumberSetting
                    {...valueProps}
                    value={option.value}
                    onChange={(value) => edit(index, { value: value ?? '' })}
                  />
                ) : (
                  <TextInput
                    {...valueProps}
                    value={String(option.value)}
                    onChange={(event) => edit(index, { value: event.currentTarget.value })}
                  />
                )}
                <TextInput
                  aria-label={t('optionLabelOf', { number: index + 1 })}
                  placeholder={t('optionLabel')}
                  value={option.label}
                  readOnly={readOnly}
                  onChange={(event) => edit(index, { label: event.currentTarget.value })}
                />
                {!readOnly && (
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={t('removeOption', { number: index + 1 })}
                    onClick={() => set(rows.rows.toSpliced(index, 1))}
                  >
                    <IconX size={16} />
                  </ActionIcon>
                )}
              </div>
            )
          }}
        />
        {!readOnly && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} />}
            disabled={field.options.length >= 500}
            onClick={add}
          >
            {t('addOption')}
          </Button>
        )}
      </fieldset>
    </Input.Wrapper>
  )
}

/** Returns the options with keys that are stable during moving and typing. */
function useRows(options: readonly Option[]) {
  const last = useRef(0)
  const keys = useRef<number[]>([])
  const nextKey = () => ++last.current
  // Undo changes the options from outside. Additional rows then get new keys.
  while (keys.current.length < options.length) keys.current.push(nextKey())
  if (keys.current.length > options.length) keys.current.length = options.length
  return {
    rows: options.map((option, index): Row => ({ key: keys.current[index] ?? index, option })),
    nextKey,
    keep(next: Row[]): Option[] {
      keys.current = next.map((row) => row.key)
      return next.map((row) => row.option)
    },
  }
}
