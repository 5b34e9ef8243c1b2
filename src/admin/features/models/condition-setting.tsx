import { Input, MultiSelect, Select, Stack, TagsInput } from '@mantine/core'
import { useId } from 'react'
import { useTranslations } from 'use-intl'
import { adminFieldType } from '#admin/fields/index.ts'
import { readNumber } from '#admin/fields/number/exact-number.ts'
import { SwitchSetting } from '#admin/fields/settings-inputs.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import type { Condition } from '#shared/fields/field-type.ts'
import { typeOf } from '#shared/fields/index.ts'
import { type FieldDraft, type FieldPatch, wholeField } from './draft.ts'

type Value = Extract<Condition, { is: 'oneOf' }>['values'][number]

export interface ConditionSettingProps {
  field: FieldDraft
  /** All fields of the same form. */
  fields: readonly FieldDraft[]
  readOnly: boolean
  problem: (property: string) => string | null
  onEdit: (patch: FieldPatch) => void
}

/** The settings of a field's condition: the field is always shown, or depends on another field's value. */
export function ConditionSetting(props: ConditionSettingProps) {
  const { field, fields, readOnly, problem, onEdit } = props
  const t = useTranslations('models.condition')
  const id = useId()
  const others = fields.filter((other) => other.key !== field.key)
  const { condition } = field
  const first = others[0]
  if (!condition && !first) return null
  const subject = others.find((other) => other.key === condition?.field)
  const set = (next: Condition | null) => onEdit({ condition: next })
  return (
    <Stack gap="xs">
      <SwitchSetting
        label={t('label')}
        description={t('hint')}
        checked={condition != null}
        onChange={(on) => set(on && first ? { field: first.key, is: 'filled' } : null)}
        readOnly={readOnly}
      />
      {condition && (
        <Input.Wrapper label={t('when')} labelElement="div" labelProps={{ id }}>
          <FormStack role="group" aria-labelledby={id}>
            <Select
              aria-label={t('field')}
              placeholder={t('field')}
              data={others.map((other) => ({ value: other.key, label: other.name || t('unnamed') }))}
              value={subject?.key ?? null}
              error={problem('condition.field')}
              allowDeselect={false}
              readOnly={readOnly}
              onChange={(key) => key && set({ field: key, is: 'filled' })}
            />
            {subject && <Question {...props} condition={condition} subject={subject} set={set} />}
          </FormStack>
        </Input.Wrapper>
      )}
    </Stack>
  )
}

interface QuestionProps extends ConditionSettingProps {
  condition: Condition
  subject: FieldDraft
  set: (condition: Condition) => void
}

function Question({ condition, subject, set, readOnly, problem }: QuestionProps) {
  const t = useTranslations('models.condition')
  const isBox = typeOf(subject).comparison(subject) === 'boolean'
  const asks = canAskForValues(subject) || condition.is === 'oneOf'
  const values = condition.is === 'oneOf' ? condition.values : []
  return (
    <>
      <Select
        aria-label={t('question')}
        data={[
          { value: 'filled', label: t(isBox ? 'ticked' : 'filled') },
          { value: 'empty', label: t(isBox ? 'notTicked' : 'empty') },
          ...(asks ? [{ value: 'oneOf', label: t('oneOf') }] : []),
        ]}
        value={condition.is}
        error={problem('condition.is')}
        allowDeselect={false}
        readOnly={readOnly}
        onChange={(is) => {
          const { field } = condition
          set(is === 'oneOf' ? { field, is, values } : { field, is: is === 'empty' ? is : 'filled' })
        }}
      />
      {condition.is === 'oneOf' && (
        <ValuesInput
          subject={subject}
          values={values}
          readOnly={readOnly}
          error={
            problem('condition.values') ??
            values.map((_, index) => problem(`condition.values.${index}`)).find(Boolean) ??
            null
          }
          onChange={(next) => set({ field: condition.field, is: 'oneOf', values: next })}
        />
      )}
    </>
  )
}

/**
 * Returns whether values can be entered: the type has a fixed set of values, or its values are numbers or short texts.
 */
function canAskForValues(subject: FieldDraft): boolean {
  const { choices, heavy } = adminFieldType(subject)
  const comparison = typeOf(subject).comparison(subject)
  return choices !== undefined || (!heavy && (comparison === 'text' || comparison === 'number'))
}

interface ValuesInputProps {
  subject: FieldDraft
  values: Value[]
  readOnly: boolean
  error: string | null
  onChange: (values: Value[]) => void
}

function ValuesInput({ subject, values, readOnly, error, onChange }: ValuesInputProps) {
  const t = useTranslations('models.condition')
  const shared = {
    'aria-label': t('values'),
    readOnly,
    error,
    placeholder: values.length === 0 ? t('values') : '',
  }
  const choices = adminFieldType(subject).choices?.(wholeField(subject))
  if (choices) {
    const gone = values.filter((value) => !choices.some((choice) => choice.value === value))
    const all = [...choices, ...gone.map((value) => ({ value, label: String(value) }))]
    return (
      <MultiSelect
        {...shared}
        data={all.map(({ label }, index) => ({ value: String(index), label }))}
        value={values.map((value) => String(all.findIndex((choice) => choice.value === value)))}
        onChange={(chosen) => onChange(chosen.flatMap((index) => all[Number(index)]?.value ?? []))}
      />
    )
  }
  const isNumber = typeOf(subject).comparison(subject) === 'number'
  return (
    <TagsInput
      {...shared}
      value={values.map(String)}
      onChange={(typed) => onChange(typed.map((text) => (isNumber ? numberOf(text) : text)))}
    />
  )
}

/** Converts text to a number. Text that is not a number stays unchanged, so that an issue reports it. */
function numberOf(text: string): Value {
  const read = readNumber(text)
  return read.kind === 'number' ? read.value : text
}
