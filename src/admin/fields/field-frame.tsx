import { Skeleton } from '@mantine/core'
import { type FormEvent, type ReactNode, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import type { Issue } from '#shared/errors.ts'
import classes from './field-frame.module.css'
import type { AdminFieldType, FieldInputProps } from './field-props.ts'
import { fieldIssueText } from './issue-text.ts'

interface FieldFrameProps extends Omit<FieldInputProps, 'labelId' | 'describedBy'> {
  look: AdminFieldType
  /** Badges beside the field's name. */
  marks?: ReactNode
  /** The name is only for screen readers, because something else shows it. */
  nameless?: boolean
  /** Shown below the input while there are no issues. */
  note?: ReactNode
}

/** Whether the issue concerns an item or something inside one. */
const isItem = ({ path }: Issue) => /^\d/.test(path)

/** Enter in an input must not submit anything. */
const stayHere = (event: FormEvent) => event.preventDefault()

/** An input with its field's name, description and messages. */
export function FieldFrame({ look, marks, nameless, note, ...input }: FieldFrameProps) {
  const t = useTranslations('fields')
  const { field, id, issues } = input
  const Input = look.input
  const [labelId, helpId] = [`${id}-label`, `${id}-help`]
  const shown = look.showsInner ? issues.filter(({ path }) => path === '') : issues
  /** Duplicates get a different message here, because the value can be corrected here and may be kept until then. */
  const say = (issue: Issue) =>
    issue.code === 'DuplicatedValue' ? t('duplicate') : fieldIssueText(field, issue)
  // Each input has a form of its own: in one large form, browsers' autofill examines every input on every key.
  const Box = look.showsInner ? 'div' : 'form'
  return (
    <Box
      className={classes.field}
      data-field-frame
      data-invalid={issues.length > 0 || undefined}
      data-nameless={nameless || undefined}
      data-read-only={input.readOnly || undefined}
      {...(look.showsInner ? {} : { noValidate: true, onSubmit: stayHere })}
    >
      {!look.labelInside && (
        <div className={classes.label}>
          {look.group?.(field) ? (
            <span id={labelId}>{field.name}</span>
          ) : (
            <label id={labelId} htmlFor={id}>
              {field.name}
            </label>
          )}
          {marks}
        </div>
      )}
      {field.description && (
        <div id={`${id}-description`} className={classes.description}>
          {field.description}
        </div>
      )}
      <Suspense fallback={<Skeleton height={60} />}>
        <Input
          {...input}
          labelId={labelId}
          describedBy={field.description ? `${id}-description ${helpId}` : helpId}
        />
      </Suspense>
      <div id={helpId} className={classes.help}>
        {shown.map((issue) => (
          <div key={`${issue.path} ${issue.code}`} className={classes.message}>
            {isItem(issue)
              ? t('itemIssue', { number: Number.parseInt(issue.path, 10) + 1, text: say(issue) })
              : say(issue)}
          </div>
        ))}
        {issues.length === 0 && note}
      </div>
    </Box>
  )
}
