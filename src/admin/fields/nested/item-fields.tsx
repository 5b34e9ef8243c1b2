import { Button, Text } from '@mantine/core'
import { memo, useCallback, useMemo } from 'react'
import { useTranslations } from 'use-intl'
import type { Issue } from '#shared/errors.ts'
import { isShown } from '#shared/fields/conditions.ts'
import type { Field } from '#shared/fields/index.ts'
import { FieldCell } from '../field-cell.tsx'
import { FieldFrame } from '../field-frame.tsx'
import grid from '../field-grid.module.css'
import { FieldMarks } from '../field-marks.tsx'
import { comparedTexts } from './compared-texts.ts'
import { type Item, issuesUnder, leftOvers, type Place, typeName, withInner } from './items.ts'
import classes from './nested.module.css'
import type { NestedContext } from './nested-context.ts'
import { innerId } from './reveal.ts'
import type { Change } from './use-change.ts'

interface ItemFieldsProps {
  field: Field
  item: Item
  places: readonly Place[]
  change: Change<Item>
  issues: readonly Issue[]
  id: string
  context: NestedContext
}

/** The inputs of an item's inner values, and the values whose field no longer exists. */
export function ItemFields({ field, item, places, change, issues, id, context }: ItemFieldsProps) {
  const set = useCallback(
    (name: string, value: unknown) => change((current) => withInner(current, name, value)),
    [change],
  )
  const fields = places.map((place) => place.field)
  const nameOf = new Map(places.map((place) => [place.field, place.name]))
  const valueIn = (of: Field) => item[nameOf.get(of) ?? '']
  return (
    <>
      <div className={`${grid.fields} ${classes.fields}`}>
        {places.map((place) => {
          const own = issuesUnder(issues, place.name)
          // A field with an issue is shown even if its condition hides it, so that the user can correct it.
          if (own.length === 0 && !isShown(place.field, fields, valueIn)) return null
          return (
            <FieldCell key={place.field._id} field={place.field} lookOf={context.lookOf}>
              <InnerField
                place={place}
                value={item[place.name]}
                set={set}
                issues={own}
                id={innerId(id, place.name)}
                context={context}
              />
            </FieldCell>
          )
        })}
      </div>
      {leftOvers(field, item, places).map((name) => (
        <LeftOver key={name} name={name} value={item[name]} readOnly={context.readOnly} set={set} />
      ))}
    </>
  )
}

interface InnerFieldProps {
  place: Place
  value: unknown
  set: (name: string, value: unknown) => void
  issues: readonly Issue[]
  id: string
  context: NestedContext
}

/** One inner field. It is memoised, so that typing in one field does not render the other fields of the item again. */
const InnerField = memo(function InnerField({ place, value, set, issues, id, context }: InnerFieldProps) {
  const types = useTranslations('models.types')
  const { lookOf, customTypes, onBlur, readOnly } = context
  const { name } = place
  // A field without a name is labelled with its type.
  const field = useMemo(
    () =>
      place.field.name
        ? place.field
        : { ...place.field, name: typeName(place.field, customTypes, (type) => types(`${type}.name`)) },
    [place.field, customTypes, types],
  )
  const onChange = useCallback((next: unknown) => set(name, next), [set, name])
  return (
    <FieldFrame
      look={lookOf(field)}
      field={field}
      value={value}
      onChange={onChange}
      onBlur={onBlur}
      readOnly={readOnly}
      issues={issues}
      id={id}
      place={context.place}
      lookOf={lookOf}
      nameless={place.field.name === ''}
      marks={<FieldMarks field={field} />}
    />
  )
})

interface LeftOverProps {
  name: string
  value: unknown
  readOnly: boolean
  set: (name: string, value: unknown) => void
}

/** A value whose field was removed from the type. */
function LeftOver({ name, value, readOnly, set }: LeftOverProps) {
  const t = useTranslations('fields.nested')
  const [text] = comparedTexts(value, undefined)
  return (
    <div className={classes.leftOver}>
      <Text size="sm">{t('leftOver', { name })}</Text>
      <Text size="sm" c="dimmed" lineClamp={4}>
        {text}
      </Text>
      {!readOnly && (
        <Button variant="default" size="compact-sm" onClick={() => set(name, undefined)}>
          {t('removeLeftOver', { name })}
        </Button>
      )}
    </div>
  )
}
