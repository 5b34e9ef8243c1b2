import { Button, Input, Stack, Switch, Text, UnstyledButton } from '@mantine/core'
import { IconChevronRight, IconPlus } from '@tabler/icons-react'
import { type ComponentType, Suspense, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { type Field, type FieldTypeName, fieldTypeNames, typeOf } from '#shared/fields/index.ts'
import { defaultSettings } from '#shared/fields/settings.ts'
import type { FieldSettingsProps } from '../field-props.ts'
import { type Kind, moved, typeName } from '../nested/items.ts'
import { KindPalette } from '../nested/kind-palette.tsx'
import { SortableItems } from '../sortable-items.tsx'
import classes from './settings.module.css'

type Props = FieldSettingsProps<'MULTI_TYPE'>
type AllowedType = Props['field']['types'][number]

const fieldOf = (allowed: AllowedType, index = 0) =>
  ({ multiple: false, ...allowed, _id: `${index}`, name: '' }) as unknown as Field

/** Returns the key that distinguishes allowed types: the uid of a custom type, otherwise the name of the type. */
const keyOf = (field: Field) => typeOf(field).customType?.uid(field) ?? field.type

/** Settings: the allowed types, in the order of the editor's palette. */
export function MultiTypeSettingsForm(props: Props) {
  const { field, onChange, onBlur, problem, readOnly, customTypes, lookOf } = props
  const t = useTranslations('fields.nested.setting')
  const types = useTranslations('models.types')
  const labelId = useId()
  const [choosing, setChoosing] = useState(false)
  const allowed = field.types.map(fieldOf)
  const keys = allowed.map(keyOf)
  const names = allowed.map((one) => typeName(one, customTypes, (type) => types(`${type}.name`)))

  function change(next: AllowedType[]) {
    onChange({ types: next })
    onBlur('types')
  }

  return (
    <Stack gap="xs" role="group" aria-labelledby={labelId}>
      <Input.Wrapper
        label={t('types')}
        labelElement="div"
        labelProps={{ id: labelId }}
        description={t('typesHint')}
        error={problem('types')}
        withAsterisk
      >
        {null}
      </Input.Wrapper>
      <SortableItems
        keys={keys}
        names={names}
        readOnly={readOnly}
        fixed={keys.length < 2}
        onMove={(from, to) => change(moved(field.types, from, to))}
        onRemove={(index) => change(field.types.toSpliced(index, 1))}
      >
        {(index) => {
          const one = allowed[index]
          return one ? (
            <Allowed
              {...props}
              allowed={one}
              name={names[index] ?? ''}
              onChange={(patch) =>
                onChange({
                  types: field.types.with(index, { ...field.types[index], ...patch } as AllowedType),
                })
              }
              onList={(isList) => {
                const { multiple: _, ...one } = field.types[index] as AllowedType & { multiple?: true }
                change(
                  field.types.with(index, { ...one, ...(isList ? { multiple: true } : {}) } as AllowedType),
                )
              }}
              onBlur={(property) => onBlur(`types.${index}.${property}`)}
              problem={(property) => problem(`types.${index}.${property}`)}
            />
          ) : null
        }}
      </SortableItems>
      {!readOnly && (
        <div>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} />}
            onClick={() => setChoosing(true)}
          >
            {t('addType')}
          </Button>
        </div>
      )}
      {choosing && (
        <KindPalette
          kinds={offered(customTypes).filter((kind) => !keys.includes(keyOf(kind.field)))}
          customTypes={customTypes}
          lookOf={lookOf}
          onClose={() => setChoosing(false)}
          onChoose={({ frame }) => {
            setChoosing(false)
            change([...field.types, frame as AllowedType])
          }}
        />
      )}
    </Stack>
  )
}

/**
 * Returns all types that can be allowed: each custom type, and every other type that does not itself offer several
 * types.
 */
function offered(customTypes: Props['customTypes']): Kind[] {
  const settings = fieldTypeNames.flatMap((type): Record<string, unknown>[] => {
    const { nesting, customType } = typeOf({ type })
    if (nesting?.kinds) return []
    if (!customType) return [{ type, ...defaultSettings(type) }]
    return customTypes.map(({ uid }) => ({ type, ...defaultSettings(type, { customType: uid }) }))
  })
  return settings.map((frame, index) => ({ frame, field: fieldOf(frame as AllowedType, index) }))
}

interface AllowedProps extends Omit<Props, 'field'> {
  allowed: Field
  name: string
  onList: (isList: boolean) => void
}

function Allowed({ allowed, name, onList, ...props }: AllowedProps) {
  const t = useTranslations('fields.nested.setting')
  const { icon: TypeIcon, settings, needed } = props.lookOf(allowed)
  const [open, setOpen] = useState(() => (needed?.(allowed as never) ?? []).length > 0)
  const Form = settings as ComponentType<Omit<FieldSettingsProps<FieldTypeName>, 'field'> & { field: Field }>
  const { canBeMultiple, customType } = typeOf(allowed)
  return (
    <div>
      <UnstyledButton
        className={classes.head}
        aria-expanded={open}
        aria-label={t('settingsOf', { name })}
        onClick={() => setOpen(!open)}
      >
        <TypeIcon size={16} aria-hidden="true" />
        <Text size="sm">{allowed.multiple ? t('severalOf', { name }) : name}</Text>
        <IconChevronRight size={16} className={classes.chevron} aria-hidden="true" />
      </UnstyledButton>
      {open && (
        <div className={classes.body}>
          {canBeMultiple && (
            <Switch
              label={t('list')}
              description={t('listHint')}
              checked={allowed.multiple}
              disabled={props.readOnly}
              onChange={({ currentTarget: { checked } }) => onList(checked)}
            />
          )}
          {!customType && (
            <Suspense>
              <Form {...props} field={allowed} />
            </Suspense>
          )}
        </div>
      )}
    </div>
  )
}
