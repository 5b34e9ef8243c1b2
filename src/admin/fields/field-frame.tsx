import { Skeleton } from '@mantine/core'
import { type FormEvent, type ReactNode, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import type { Issue } from '#shared/errors.ts'
import classes from './field-frame.module.css'
import type { AdminFieldType, FieldInputProps } from './field-props.ts'
import { fieldIssueText } from './issue-text.ts'

interface FieldFrameProps extends Omit<FieldInputProps, 'labelId' | 'describedBy'> {
  look: AdminFieldType
  marks?: ReactNode
  /** Whether the name is only rendered for screen readers, because another element shows it. */
  nameless?: boolean
  /** Shown below the input while there are no issues. */
  note?: ReactNode
}

const isItem = ({ path }: Issue) => /^\d/.test(path)

/** Prevents Enter from submitting the form. */
const stayHere = (event: FormEvent) => event.preventDefault()

/** Renders an input with its field's name, description and messages. */
export function FieldFrame({ look, marks, nameless, note, ...input }: FieldFrameProps) {
  const t = useTranslations('fields')
  const { field, id, issues } = input
  const Input = look.input
  const [labelId, helpId] = [`${id}-label`, `${id}-help`]
  const shown = look.showsInner ? issues.filter(({ path }) => path === '') : issues
  /**
   * Duplicates have their own message: the user can save a draft with the duplicate value, but must change the value
   * before publishing.
   */
  const say = (issue: Issue) =>
    issue.code === 'DuplicatedValue' ? t('duplicate') : fieldIssueText(field, issue)
  // Each input has its own form, except inputs with inner inputs. In one large form, the browser's autofill would
  // examine every input on each key press.
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
