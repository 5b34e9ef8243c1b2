import { Checkbox, Group, Select, Text, TextInput } from '@mantine/core'
import { IconAlertTriangle, IconHeading } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useDateText } from '#admin/fields/date/use-date-text.ts'
import { adminFieldType } from '#admin/fields/index.ts'
import { StateChip } from '#admin/ui/state-chip.tsx'
import type { MoveCorrections, MoveTypeChoice, PlannedField } from '#shared/contract/move-plans.ts'
import { type FieldTypeName, typeOf } from '#shared/fields/index.ts'
import classes from '../moves.module.css'
import { choiceOf, choose, isUnsure } from './move-plan-draft.ts'

interface PlannedRowProps {
  planned: PlannedField
  plan: MoveCorrections
  handle: ReactNode
  readOnly: boolean
  isTitle: boolean
  hasOwnUid: boolean
  onChange: (planned: PlannedField) => void
}

/** A field to be created: inputs for its settings, the reason for its type, and sample values. */
export function PlannedRow(props: PlannedRowProps) {
  const { planned, plan, handle, readOnly, isTitle, hasOwnUid, onChange } = props
  const t = useTranslations('moves.plan')
  const labelOf = useChoiceLabel(plan)
  const shown = useSample(planned.field)
  const { field, choices, samples, allows, from } = planned
  const type = field.type as FieldTypeName
  const at = choiceOf(planned)
  const choice = choices[at] ?? choices[0]
  const TypeIcon = adminFieldType({ type }).icon
  const set = (changed: Partial<typeof field>) => onChange({ ...planned, field: { ...field, ...changed } })
  return (
    <div className={classes.row}>
      {handle}
      <span className={classes.rowIcon} aria-hidden="true">
        <TypeIcon size={18} stroke={1.7} />
      </span>
      <div className={classes.rowMain}>
        <div className={classes.rowInputs}>
          <TextInput
            aria-label={t('fieldName', { from })}
            value={field.name}
            maxLength={100}
            readOnly={readOnly}
            onChange={({ currentTarget: { value } }) => set({ name: value })}
          />
          {!hasOwnUid && (
            <TextInput
              aria-label={t('fieldUid', { from })}
              leftSection={<span className={classes.uid}>UID</span>}
              value={field.uid}
              maxLength={64}
              readOnly={readOnly}
              onChange={({ currentTarget: { value } }) => set({ uid: value })}
            />
          )}
          <Select
            aria-label={t('fieldType', { from })}
            data={choices.map((one, index) => ({ value: String(index), label: labelOf(one) }))}
            value={at < 0 ? null : String(at)}
            readOnly={readOnly || choices.length < 2}
            allowDeselect={false}
            onChange={(next) => {
              const chosen = next === null ? undefined : choices[Number(next)]
              if (chosen) onChange(choose(planned, chosen))
            }}
          />
        </div>
        <Text size="sm" c="dimmed" className={classes.why}>
          {hasOwnUid && <code>{field.uid}</code>}
          {isTitle && <StateChip color="mizu" icon={IconHeading} text={t('isTitle')} />}
          {isUnsure(planned) && <StateChip color="yellow" icon={IconAlertTriangle} text={t('look')} />}
          <span>
            {choice && t(`why.${choice.why.code as 'texts'}`, choice.why.params)}
            {choice?.differences.map(({ code, count }) => ` ${t(`differences.${code}`, { count })}`)}
          </span>
        </Text>
        {samples.length > 0 && (
          <Text size="xs" className={classes.samples}>
            {t('samples')}
            {samples.map(shown).join(' ')}
          </Text>
        )}
        <Group gap="lg" mt={4}>
          <Checkbox
            size="xs"
            label={t('required')}
            checked={field.required === true}
            disabled={readOnly || !allows.required}
            onChange={({ currentTarget: { checked } }) => set({ required: checked })}
          />
          {typeOf({ type }).canBeUnique && (
            <Checkbox
              size="xs"
              label={t('unique')}
              checked={field.unique === true}
              disabled={readOnly || !allows.unique || at > 0}
              onChange={({ currentTarget: { checked } }) => set({ unique: checked })}
            />
          )}
        </Group>
      </div>
    </div>
  )
}

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** Returns a function that formats a sample value as a field with these settings will show it. */
export function useSample({ type, inputType }: { type: string; inputType?: unknown }) {
  const t = useTranslations('moves.plan')
  const dateText = useDateText()
  const shown = inputType === 'date' || inputType === 'time' ? inputType : 'datetime'
  const holdsTimes = adminFieldType({ type: type as FieldTypeName }).daysInUtc !== undefined
  return (value: string): string => {
    const time = holdsTimes && moment.test(value) ? dateText(value, shown) : null
    return t('sample', { sample: time ?? value })
  }
}

/** The models and custom types that fields may refer to, with their names. */
type Named = Record<'models' | 'customTypes', readonly { uid: string; name: string }[]>

/** Returns a function that labels a choice by its type and distinguishing settings. */
export function useChoiceLabel(plan: Named) {
  const t = useTranslations('moves.plan')
  const types = useTranslations('models.types')
  return ({ settings }: MoveTypeChoice): string => {
    const { type, inputType, multiple, modelUid, customType } = settings
    const pointed =
      plan.models.find(({ uid }) => uid === modelUid)?.name ??
      plan.customTypes.find(({ uid }) => uid === customType)?.name
    const parts = [
      ...(pointed === undefined ? [] : [pointed]),
      ...(isInputType(inputType) ? [t(`inputTypes.${inputType}`)] : []),
      ...(multiple ? [t('multiple')] : []),
    ]
    const name = types(`${type as FieldTypeName}.name`)
    return parts.length === 0 ? name : t('choice', { name, parts: parts.join(t('comma')) })
  }
}

const inputTypes = ['inputText', 'textarea', 'datetime', 'date', 'time'] as const
const isInputType = (value: unknown): value is (typeof inputTypes)[number] =>
  (inputTypes as readonly unknown[]).includes(value)
