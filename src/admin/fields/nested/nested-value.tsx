import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { customTypesQuery } from '#admin/lib/queries.ts'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'
import type { FieldInputProps } from '../field-props.ts'
import classes from './nested.module.css'

type NestedValueProps = Pick<
  FieldInputProps,
  'value' | 'place' | 'id' | 'labelId' | 'describedBy' | 'lookOf'
> & { field: Field }

/** The items of a value with the previews of what stands in them. It is shown and kept, and cannot be changed here. */
export function NestedValue({ id, labelId, describedBy, ...shown }: NestedValueProps) {
  const t = useTranslations('fields.nested')
  const { data: customTypes = [] } = useQuery(customTypesQuery(shown.place.p, shown.place.a))
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset takes no focus, to which a jump to the field leads.
    <div id={id} role="group" tabIndex={-1} aria-labelledby={labelId} aria-describedby={describedBy}>
      <Stack gap="xs">
        <Items {...shown} customTypes={customTypes} />
        <Text size="xs" c="dimmed">
          {t('readOnly')}
        </Text>
      </Stack>
    </div>
  )
}

type ItemsProps = Omit<NestedValueProps, 'id' | 'labelId' | 'describedBy'> & {
  customTypes: readonly CustomType[]
}

function Items({ field, value, customTypes, ...rest }: ItemsProps) {
  const t = useTranslations('fields.nested')
  const types = useTranslations('models.types')
  const items = rest.lookOf?.(field).items?.(field, value, customTypes) ?? []
  if (items.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('nothing')}
      </Text>
    )
  return (
    <ol className={classes.items}>
      {items.map(({ type, parts }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are shown as they stand.
        <li key={index} className={classes.item}>
          {type && (
            <Text size="xs" fw={600}>
              {'type' in type
                ? types(`${type.type}.name`)
                : (customTypes.find(({ uid }) => uid === type.customType)?.name ?? type.customType)}
            </Text>
          )}
          {parts.map((part) => (
            <div key={part.field._id}>
              {part.field.name && (
                <Text size="xs" c="dimmed">
                  {part.field.name}
                </Text>
              )}
              <Value {...rest} {...part} customTypes={customTypes} />
            </div>
          ))}
        </li>
      ))}
    </ol>
  )
}

function Value(props: ItemsProps) {
  const look = props.lookOf?.(props.field)
  if (!look) return null
  const { items, preview: Preview } = look
  if (items) return <Items {...props} />
  return (
    <Text size="sm" component="div" className={classes.value}>
      <Preview field={props.field} value={props.value} place={props.place} />
    </Text>
  )
}
