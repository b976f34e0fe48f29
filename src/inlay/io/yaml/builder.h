#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "inlay/base/diagnostic.h"
#include "inlay/io/yaml/assembled_text.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io {

// Ends the parse; what is wrong has been written to the builder's faults.
class ParseStopped : public std::exception {};

// Builds the documents of a stream from the parser's events, within the limits. Faults that do not
// hinder reading on (duplicate keys, bad merges) are collected; the others throw ParseStopped.
class Builder : public YAML::EventHandler {
 public:
  // `assembled`: what the source was put together of; null where it is a text by itself.
  Builder(std::shared_ptr<const Source> source, const YamlLimits& limits,
          const AssembledText* assembled = nullptr);

  std::vector<Node> TakeDocuments() { return std::move(documents_); }
  const Diagnostics& faults() const { return faults_; }
  // Whether the documents are whole, but for keys given twice, of which the first is kept.
  bool HoldsAll() const { return faults_.size() == repeated_keys_; }

  // Byte offset of the last event: how far the parser has got, whatever it has read ahead.
  size_t position() const { return position_; }

  // An empty node where the parser stands.
  Node NodeAt(const YAML::Mark& mark) const;

  // Reports what the parser lets pass: a last line without a colon, and a quoted text that runs
  // into the end of the file. To be called when there is nothing left to parse.
  void CheckEnd();

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { EndCollection(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { EndCollection(); }

 private:
  struct OpenCollection {
    Node node;
    YAML::anchor_t anchor = 0;
    std::optional<Node> key;  // of a mapping: read, waiting for its value
  };
  struct Anchored {
    Node node;
    size_t count = 0;
    int height = 0;
  };

  Diagnostic At(const YAML::Mark& mark, std::string message, std::string hint = "") const;
  Node NewNode(const YAML::Mark& mark, Node::Kind kind, const std::string& tag);
  void PlaceValue(const Node& value, YAML::anchor_t anchor, const YAML::Mark& mark);
  void Open(Node node, YAML::anchor_t anchor);
  void EndCollection();
  void Finish(Node node, YAML::anchor_t anchor);
  void Place(Node node);
  void CloseMapping(Node* mapping);
  void CountIn(size_t nodes, const Node& where);
  void Report(Diagnostic fault);
  [[noreturn]] void Stop(Diagnostic fault);
  bool StartsDocument(const YAML::Mark& mark) const;

  std::shared_ptr<const Source> source_;
  YamlLimits limits_;
  const AssembledText* assembled_;
  std::vector<Node> documents_;
  std::vector<OpenCollection> open_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  size_t nodes_ = 0;
  size_t position_ = 0;
  std::optional<Node> last_scalar_;  // the last event, if it was a scalar; without its text
  std::optional<Diagnostic> missing_colon_;
  Diagnostics faults_;
  size_t repeated_keys_ = 0;  // among the faults
};

}  // namespace inlay::io
