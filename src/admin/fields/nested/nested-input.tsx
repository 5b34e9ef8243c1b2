import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { customTypesQuery } from '#admin/lib/queries.ts'
import type { Issue } from '#shared/errors.ts'
import { resolveField } from '#shared/fields/custom-types.ts'
import { type Field, isMultiple } from '#shared/fields/index.ts'
import type { FieldInputProps } from '../field-props.ts'
import { ItemFields } from './item-fields.tsx'
import { ItemList } from './item-list.tsx'
import { type Item, isList, itemsOf, placesOf } from './items.ts'
import classes from './nested.module.css'
import type { NestedContext } from './nested-context.ts'
import { useOpener } from './reveal.ts'
import { useChange } from './use-change.ts'

type NestedInputProps = Omit<FieldInputProps, 'field'> & { field: Field }

/** The input for values that contain other values: a group of inputs, or a list of items. */
export function NestedInput(props: NestedInputProps) {
  const t = useTranslations('fields.nested')
  const { field, id, labelId, describedBy, place, lookOf, onBlur, readOnly } = props
  const { data: customTypes, isError } = useQuery(customTypesQuery(place.p, place.a))
  const resolved = useMemo(() => customTypes && resolveField(field, customTypes), [field, customTypes])
  const whenLeft = useRef(onBlur)
  whenLeft.current = onBlur
  const context = useMemo<NestedContext | null>(
    () =>
      customTypes && lookOf
        ? { customTypes, lookOf, readOnly, place, onBlur: () => whenLeft.current() }
        : null,
    [customTypes, lookOf, readOnly, place],
  )
  const aria = { id, tabIndex: -1, 'aria-labelledby': labelId, 'aria-describedby': describedBy }
  if (!resolved || !context)
    return (
      // biome-ignore lint/a11y/useSemanticElements: a jump to the field focuses it, and a fieldset cannot have focus.
      <div {...aria} role="group">
        {customTypes || isError ? (
          <Text size="sm" c="dimmed">
            {t(isError ? 'loadFailed' : 'typeGone')}
          </Text>
        ) : (
          <Skeleton height={80} />
        )}
      </div>
    )
  const inner = { field: resolved, value: props.value, onChange: props.onChange, issues: props.issues, id }
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above.
    <div {...aria} role="group" className={isList(resolved) ? undefined : classes.group}>
      {isList(resolved) ? (
        <SeveralItems {...inner} context={context} />
      ) : (
        <OneItem {...inner} context={context} />
      )}
    </div>
  )
}

interface PartProps {
  field: Field
  value: unknown
  onChange: (value: unknown) => void
  issues: readonly Issue[]
  id: string
  context: NestedContext
}

const nothing: Item = {}

function OneItem({ field, value, onChange, issues, id, context }: PartProps) {
  const [item = nothing] = itemsOf(value)
  const change = useChange<Item>(item, (next) => onChange(Object.keys(next).length > 0 ? next : undefined))
  const places = useMemo(() => placesOf(field, nothing) ?? [], [field])
  useOpener(id, () => undefined)
  return (
    <ItemFields
      field={field}
      item={item}
      places={places}
      change={change}
      issues={issues}
      id={id}
      context={context}
    />
  )
}

const none: readonly Item[] = []

function SeveralItems({ field, value, onChange, issues, id, context }: PartProps) {
  const several = isMultiple(field)
  const items = useMemo(() => (value === undefined ? none : itemsOf(value)), [value])
  const change = useChange<readonly Item[]>(items, (next) =>
    onChange(next.length === 0 ? undefined : several ? next : next[0]),
  )
  return (
    <ItemList
      field={field}
      items={items}
      several={several}
      change={change}
      issues={issues}
      id={id}
      context={context}
    />
  )
}
